//! What kernels are given: structs that Rust and the text of the kernels lay out alike, word by word.

/// What the kernels of a text are given: laid out as `Arguments` there, with addresses of the machine. [`given`] makes one.
///
/// # Safety
/// Kernels read what implements this as their text says: a `#[repr(C)]` struct of words, field by field the same.
pub(crate) unsafe trait Given: Copy {
    /// What the text must have, too.
    #[cfg(test)]
    fn fields() -> Vec<super::probe::Field>;
}

/// A struct that kernels are given. A test beside each compares it with the kernels' text (`probe`).
macro_rules! given {
    ($(#[$about:meta])* $visibility:vis struct $name:ident { $($field:ident: $type:ty,)* }) => {
        $(#[$about])*
        #[repr(C)]
        #[derive(Clone, Copy, PartialEq, Debug)]
        $visibility struct $name {
            $(pub(crate) $field: $type,)*
        }

        // SAFETY: `#[repr(C)]`, and the same field by field as the text: the test beside it fails where it is not.
        unsafe impl $crate::cuda::given::Given for $name {
            #[cfg(test)]
            fn fields() -> Vec<$crate::cuda::probe::Field> {
                use $crate::cuda::probe::{Field, Word};
                vec![$(Field {
                    name: stringify!($field),
                    offset: std::mem::offset_of!($name, $field),
                    bytes: size_of::<$type>(),
                    kind: <$type as Word>::KIND,
                }),*]
            }
        }
    };
}
pub(crate) use given;
