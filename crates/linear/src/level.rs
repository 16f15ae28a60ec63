//! Which vector instructions the CPU has, found out once.

use std::fmt;

/// Instruction sets that the engine is built for, from the narrowest to the widest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// What every CPU of this architecture has.
    Portable,
    /// AVX2 with fused multiply-add: 256 bits.
    Avx2,
    /// AVX-512: 512 bits.
    Avx512,
}

impl Level {
    /// All of them, narrowest first.
    pub const ALL: [Level; 3] = [Level::Portable, Level::Avx2, Level::Avx512];

    /// The widest that this CPU runs.
    pub fn best() -> Level {
        Level::ALL.into_iter().rev().find(|level| level.available()).unwrap_or(Level::Portable)
    }

    /// Whether this CPU runs it.
    pub fn available(self) -> bool {
        match self {
            Level::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => {
                Level::Avx2.available()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Level::Avx2 | Level::Avx512 => false,
        }
    }
}

/// Something to compute in plain loops, which the compiler vectorises with the instructions of a level. It does so with
/// what it finds in `run`: that, and all it calls in its loops, has to be `#[inline(always)]`.
pub trait VectorWork {
    /// What comes of it.
    type Output;

    /// Computes it.
    fn run(self) -> Self::Output;
}

impl Level {
    /// Computes with the instructions of this level, or with those that every CPU has where this one lacks them. The bits are the
    /// same on all levels: nothing is fused and no sum changes its order.
    pub fn run<W: VectorWork>(self, work: W) -> W::Output {
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")]
        fn avx512<W: VectorWork>(work: W) -> W::Output {
            work.run()
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma")]
        fn avx2<W: VectorWork>(work: W) -> W::Output {
            work.run()
        }
        match self {
            // SAFETY: the CPU was asked for these instructions in the line before.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 if self.available() => unsafe { avx512(work) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 if self.available() => unsafe { avx2(work) },
            Level::Portable | Level::Avx2 | Level::Avx512 => work.run(),
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Level::Portable => "portable",
            Level::Avx2 => "avx2",
            Level::Avx512 => "avx512",
        })
    }
}

/// Compiles one body for every level and picks by value. The body is an `#[inline(always)]` function
/// of plain loops, which the compiler vectorises with the instructions of each level. Its last generic
/// parameter says whether fused multiply-adds are instructions (and not slow library calls).
#[macro_export]
macro_rules! for_each_level {
    ($(#[$doc:meta])* $visibility:vis fn $name:ident<$T:ident: $bound:path>($($argument:ident: $type:ty),* $(,)?) => $body:ident) => {
        $(#[$doc])*
        $visibility fn $name<$T: $bound>(level: $crate::Level, $($argument: $type),*) {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")]
            fn avx512<$T: $bound>($($argument: $type),*) {
                $body::<$T, true>($($argument),*)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            fn avx2<$T: $bound>($($argument: $type),*) {
                $body::<$T, true>($($argument),*)
            }
            match level {
                // SAFETY: a level is only handed out after the CPU was asked for it.
                #[cfg(target_arch = "x86_64")]
                $crate::Level::Avx512 => unsafe { avx512($($argument),*) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                $crate::Level::Avx2 => unsafe { avx2($($argument),*) },
                _ => $body::<$T, false>($($argument),*),
            }
        }
    };
}
