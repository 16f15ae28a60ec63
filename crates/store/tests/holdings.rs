//! What caches hold is shown, bounded and cleared, and nothing else is touched.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};
use store::{Cache, Holdings, Key, Removed};

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pinnace-holdings-{}-{name}", std::process::id()));
        _ = fs::remove_dir_all(&path);
        Scratch(path)
    }

    fn put(&self, room: &str, name: &str, bytes: usize, days: u64) {
        let (cache, key) = (Cache::in_folder(self.0.join(room)), Key::of(&[name]));
        cache.put(key, &vec![7; bytes]);
        let text = cache.put_text(key, "cu", "text");
        let then = SystemTime::now() - Duration::from_secs(days * 86_400);
        for path in [text.with_extension("bin"), text] {
            fs::File::options()
                .append(true)
                .open(path)
                .and_then(|file| file.set_modified(then))
                .expect("a file");
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn what_was_not_used_for_the_longest_time_goes_first() {
    let scratch = Scratch::new("oldest");
    let holdings = Holdings::in_folder(scratch.0.clone());
    assert_eq!(holdings.rooms().expect("nothing is fine"), []);
    scratch.put("cuda", "old", 1000, 40);
    scratch.put("references", "middle", 1000, 20);
    scratch.put("cuda", "new", 1000, 1);
    let rooms = holdings.rooms().expect("a folder");
    let facts: Vec<(&str, usize, u64)> =
        rooms.iter().map(|room| (room.name.as_str(), room.entries, room.bytes)).collect();
    assert_eq!(facts, [("cuda", 2, 2048), ("references", 1, 1024)]);
    assert_eq!(holdings.shrink(2500).expect("it can be written"), Removed { entries: 1, bytes: 1024 });
    let since = SystemTime::now() - Duration::from_secs(10 * 86_400);
    assert_eq!(holdings.clear(Some(since)).expect("it can be written").entries, 1);
    let rooms = holdings.rooms().expect("a folder");
    assert!(rooms.len() == 1 && rooms[0].entries == 1, "{rooms:?}");
    assert!(Cache::in_folder(scratch.0.join("cuda")).get(Key::of(&["new"])).is_some());
}

#[test]
fn nothing_is_removed_that_no_cache_has_made() {
    let scratch = Scratch::new("foreign");
    scratch.put("cuda", "own", 10, 1);
    let room = scratch.0.join("cuda");
    let names = ["notes.txt", "0123.bin", "0123456789abcdef0123456789abcdef.bin", "hits"];
    names.iter().for_each(|name| fs::write(room.join(name), "somebody's").expect("a file"));
    fs::create_dir_all(room.join("0123456789abcdef0123456789abcdee.bin")).expect("a folder");
    #[cfg(unix)]
    {
        fs::create_dir_all(scratch.0.join("elsewhere-target")).expect("a folder");
        std::os::unix::fs::symlink(&room, scratch.0.join("link")).expect("a link");
    }
    let holdings = Holdings::in_folder(scratch.0.clone());
    assert_eq!(holdings.clear(None).expect("it can be written").entries, 1);
    assert!(names.iter().all(|name| room.join(name).exists()));
    assert_eq!(holdings.clear(None).expect("it can be written"), Removed::default());
}
