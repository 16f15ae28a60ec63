//! What kernels are given: structs that Rust and the text of the kernels lay out alike, word by word. This is the one place where
//! regions become bare addresses.

use super::region::Region;

/// What the kernels of a text are given. [`given`] makes one.
pub(crate) trait Given {
    /// Laid out as `Arguments` in the kernels' text, with addresses of the machine.
    type Words: Laid;

    fn words(&self) -> Self::Words;
}

/// Words as kernels read them.
///
/// # Safety
/// Kernels read what implements this as their text says: a `#[repr(C)]` struct of words, field by field the same.
pub(crate) unsafe trait Laid: Copy {
    /// What the text must have, too.
    #[cfg(test)]
    fn fields() -> Vec<super::probe::ArgumentField>;
}

/// What can be a field.
pub(crate) trait Word {
    type Given: Copy;

    fn word(self) -> Self::Given;
}

impl Word for f64 {
    type Given = f64;

    fn word(self) -> f64 {
        self
    }
}

impl Word for u64 {
    type Given = u64;

    fn word(self) -> u64 {
        self
    }
}

impl<T> Word for Region<T> {
    type Given = u64;

    fn word(self) -> u64 {
        self.address()
    }
}

impl<T: Word, const COUNT: usize> Word for [T; COUNT] {
    type Given = [T::Given; COUNT];

    fn word(self) -> Self::Given {
        self.map(T::word)
    }
}

/// A struct as the host has it, and as kernels are given it. A test beside each compares it with the kernels' text (`probe`).
macro_rules! given {
    (
        $(#[$about:meta])* $visibility:vis struct $name:ident laid out as $words:ident {
            $($field:ident: $type:ty,)*
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Debug)]
        $visibility struct $name {
            $(pub(crate) $field: $type,)*
        }

        /// The same with addresses for regions.
        #[repr(C)]
        #[derive(Clone, Copy, PartialEq)]
        $visibility struct $words {
            $($field: <$type as $crate::cuda::machine::Word>::Given,)*
        }

        impl $crate::cuda::machine::Given for $name {
            type Words = $words;

            fn words(&self) -> $words {
                $words { $($field: $crate::cuda::machine::Word::word(self.$field),)* }
            }
        }

        // SAFETY: `#[repr(C)]`, and the same field by field as the text: the test beside it fails where it is not.
        unsafe impl $crate::cuda::machine::Laid for $words {
            #[cfg(test)]
            fn fields() -> Vec<$crate::cuda::machine::ArgumentField> {
                use $crate::cuda::machine::{ArgumentField, Read};
                vec![$(ArgumentField {
                    name: stringify!($field),
                    offset: std::mem::offset_of!($words, $field),
                    bytes: size_of::<<$type as $crate::cuda::machine::Word>::Given>(),
                    read: <$type as Read>::AS,
                }),*]
            }
        }
    };
}
pub(crate) use given;
