//! Compiled kernels on disk, found again by what they were made from.

use super::compiler::{self, Compiled};
use crate::cuda::CudaError;
pub(crate) use store::Key;

/// Machine code that was made before, and what was measured of it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct KernelCache(store::Cache);

impl KernelCache {
    pub(crate) fn of_user() -> KernelCache {
        KernelCache(store::Cache::of_user("cuda"))
    }

    /// A source compiled for an architecture: found here, or made and kept.
    pub(crate) fn compiled(
        &self,
        kernel: &str,
        text: &str,
        architecture: &str,
    ) -> Result<Compiled, CudaError> {
        let (major, minor) = compiler::version()?;
        let options = compiler::options(text, architecture).join(" ");
        let key = Key::of(&[text, &options, &format!("{major}.{minor}"), env!("CARGO_PKG_VERSION")]);
        if let Some(compiled) = self.get(key) {
            return Ok(compiled);
        }
        let source_file = self.0.put_text(key, "cu", text);
        let compiled = compiler::compile(kernel, text, architecture).map_err(|error| match error {
            CudaError::Compile { kernel, log, .. } => CudaError::Compile { kernel, source_file, log },
            other => other,
        })?;
        self.put(key, &compiled);
        Ok(compiled)
    }

    pub(crate) fn get(&self, key: Key) -> Option<Compiled> {
        let bytes = self.0.get(key)?;
        let (length, rest) = bytes.split_first_chunk::<8>()?;
        let (image, log) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        Some(Compiled { image: image.to_owned(), log: String::from_utf8_lossy(log).into_owned() })
    }

    pub(crate) fn put(&self, key: Key, compiled: &Compiled) {
        let mut bytes = (compiled.image.len() as u64).to_le_bytes().to_vec();
        bytes.extend_from_slice(&compiled.image);
        bytes.extend_from_slice(compiled.log.as_bytes());
        self.0.put(key, &bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_and_its_log_are_found_again() {
        let folder = std::env::temp_dir().join(format!("pinnace-kernels-{}", std::process::id()));
        let cache = KernelCache(store::Cache::in_folder(folder.clone()));
        let entry = Compiled { image: vec![1, 2, 3, 0, 255], log: "no spills".to_owned() };
        cache.put(Key::of(&["text", "sm_90a"]), &entry);
        assert_eq!(cache.get(Key::of(&["text", "sm_90a"])), Some(entry));
        assert_eq!(cache.get(Key::of(&["texts", "m_90a"])), None);
        _ = std::fs::remove_dir_all(folder);
    }
}
