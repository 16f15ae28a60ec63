//! What the user probably meant.

/// Longer names are not compared: nobody mistypes them, and hostile files are full of them.
const LONGEST: usize = 48;

/// Names that are looked through at most.
const MOST: usize = 2000;

/// The candidate nearest to `name`, if one is near enough to be a slip of the hand.
pub(super) fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let letters: Vec<char> = name.chars().take(LONGEST + 1).collect();
    if letters.len() > LONGEST {
        return None;
    }
    let allowed = match letters.len() {
        0..=3 => 1,
        4..=7 => 2,
        _ => 3,
    };
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates.into_iter().take(MOST) {
        if candidate.len() > 4 * LONGEST || candidate == name {
            continue;
        }
        let other: Vec<char> = candidate.chars().collect();
        if other.len().abs_diff(letters.len()) > allowed {
            continue;
        }
        let distance =
            if candidate.to_lowercase() == name.to_lowercase() { 0 } else { distance(&letters, &other) };
        // A one-letter name is near every other one: something of it must remain.
        let near = distance <= allowed && (distance == 0 || distance < letters.len().max(other.len()));
        if near && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Insertions, deletions, replacements and swaps of neighbours between two words.
fn distance(left: &[char], right: &[char]) -> usize {
    let mut two_ago: Vec<usize> = Vec::new();
    let mut previous: Vec<usize> = (0..=right.len()).collect();
    for (i, &a) in left.iter().enumerate() {
        let mut current = vec![i + 1];
        for (j, &b) in right.iter().enumerate() {
            let replaced = previous[j] + usize::from(a != b);
            let mut least = replaced.min(previous[j + 1] + 1).min(current[j] + 1);
            if i > 0 && j > 0 && a == right[j - 1] && left[i - 1] == b {
                least = least.min(two_ago[j - 1] + 1);
            }
            current.push(least);
        }
        two_ago = std::mem::replace(&mut previous, current);
    }
    previous[right.len()]
}

/// The names as a list for a sentence: at most a dozen, quoted.
pub(super) fn listed<'c>(names: impl IntoIterator<Item = &'c str>) -> String {
    const SHOWN: usize = 12;
    let mut text = String::new();
    for (position, name) in names.into_iter().enumerate() {
        if position == SHOWN {
            text.push_str(", …");
            break;
        }
        if position > 0 {
            text.push_str(", ");
        }
        text.push('`');
        text.push_str(&clipped(name));
        text.push('`');
    }
    text
}

/// A name short enough to print.
pub(super) fn clipped(name: &str) -> String {
    match name.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_hand_are_found_and_strangers_are_not() {
        assert_eq!(nearest("nv", ["nu", "x"]), Some("nu"));
        assert_eq!(nearest("learning_rte", ["points", "learning_rate"]), Some("learning_rate"));
        assert_eq!(nearest("eqautions", ["equations", "domain"]), Some("equations"));
        assert_eq!(nearest("q", ["x", "y"]), None);
        assert_eq!(nearest("U", ["u"]), Some("u"));
    }
}
