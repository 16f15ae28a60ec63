//! The two kinds of numbers that the engine computes with.

use std::fmt::Debug;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// f32 or f64.
pub trait Float:
    Copy
    + Debug
    + Default
    + PartialOrd
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + Sum
    + 'static
{
    /// 0
    const ZERO: Self;
    /// 1
    const ONE: Self;
    /// Numbers in 512 bits: rows are padded to a multiple, so that every level runs whole vectors.
    const LANES: usize;

    /// The nearest number of this kind.
    fn from_f64(value: f64) -> Self;
    /// The same number as f64.
    fn to_f64(self) -> f64;
    /// `self * factor + summand`, rounded once if `FMA`.
    fn mul_add<const FMA: bool>(self, factor: Self, summand: Self) -> Self;
    /// The magnitude.
    fn abs(self) -> Self;
    /// The magnitude of `self` with the sign of `sign`.
    fn copysign(self, sign: Self) -> Self;
    /// The nearest integer, halves to even.
    fn round(self) -> Self;
    /// `2^self` for an integer in the range of normal exponents.
    fn exp2_integer(self) -> Self;
    /// The square root.
    fn sqrt(self) -> Self;
    /// The smaller one.
    fn min(self, other: Self) -> Self;
    /// The larger one.
    fn max(self, other: Self) -> Self;

    /// ln 2 in two parts, the first with trailing zeros so that small multiples of it are exact.
    const LN_2: [Self; 2];
    /// Coefficients of (exp(r) - 1 - r)/r² for |r| <= ln(2)/2, lowest first.
    const EXPONENTIAL: &'static [Self];
    /// The most negative argument whose exponential is a normal number.
    const LOWEST_EXPONENT: Self;
    /// π/2 in three parts, the first two with trailing zeros.
    const HALF_PI: [Self; 3];
    /// Coefficients of (sin(r)/r - 1)/r² in powers of r², for |r| <= π/4, lowest first.
    const SINE: &'static [Self];
    /// Coefficients of (cos(r) - 1)/r² in powers of r², lowest first.
    const COSINE: &'static [Self];
    /// Coefficients of (1 - Φ(a))·(a + 4)/φ(a) in powers of (a - 4)/(a + 4) for 0 <= a while φ(a) is a normal number, lowest
    /// first; Φ is the normal distribution and φ its density. Interpolated at Chebyshev points; off by less than 0.04 units
    /// in the last place. Those of even powers, and those of odd ones.
    const NORMAL_TAIL: [&'static [Self]; 2];

    /// C += A·B for one tile of a product.
    fn tile(level: super::Level, tile: super::gemm::Tile<'_, Self>);
}

macro_rules! float {
    ($T:ident, $mantissa:literal, $bias:literal, $lanes:literal, $tile:path, { $($constants:tt)* }) => {
        impl Float for $T {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const LANES: usize = $lanes;
            $($constants)*

            #[inline(always)]
            fn from_f64(value: f64) -> Self {
                value as $T
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn mul_add<const FMA: bool>(self, factor: Self, summand: Self) -> Self {
                if FMA { $T::mul_add(self, factor, summand) } else { self * factor + summand }
            }
            #[inline(always)]
            fn abs(self) -> Self {
                $T::abs(self)
            }
            #[inline(always)]
            fn copysign(self, sign: Self) -> Self {
                $T::copysign(self, sign)
            }
            #[inline(always)]
            fn round(self) -> Self {
                // Adding and subtracting 1.5·2^mantissa leaves the nearest integer on every level.
                let shift = 1.5 * (1u64 << $mantissa) as $T;
                (self + shift) - shift
            }
            #[inline(always)]
            fn exp2_integer(self) -> Self {
                // The same trick leaves the integer in the low bits, from where it moves to the exponent.
                let shift = 1.5 * (1u64 << $mantissa) as $T;
                let integer = (self + (shift + $bias as $T)).to_bits();
                $T::from_bits(integer << $mantissa)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                $T::sqrt(self)
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                if self < other { self } else { other }
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                if self > other { self } else { other }
            }
            fn tile(level: super::Level, tile: super::gemm::Tile<'_, Self>) {
                $tile(level, tile);
            }
        }
    };
}

float!(f32, 23, 127, 16, super::gemm::tile_f32, {
    const LN_2: [f32; 2] = [0.693_145_75, 1.428_606_8e-6];
    const EXPONENTIAL: &'static [f32] =
        &[0.5, 0.166_666_67, 0.041_666_668, 0.008_333_334, 0.001_388_889, 1.984_127e-4];
    const LOWEST_EXPONENT: f32 = -87.0;
    const HALF_PI: [f32; 3] = [1.570_312_5, 4.838_109e-4, 1.589_325_5e-8];
    const SINE: &'static [f32] = &[-0.166_666_67, 0.008_333_334, -1.984_127e-4, 2.755_732e-6];
    const COSINE: &'static [f32] = &[-0.5, 0.041_666_668, -0.001_388_889, 2.480_158_7e-5, -2.755_732e-7];
    const NORMAL_TAIL: [&'static [f32]; 2] = [
        &[1.893_219_1, 0.970_409_6, 0.151_392_19, -0.008_735_348_5, 0.000_411_911_37, -0.000_138_806_22],
        &[-1.523_770_9, -0.467_539_82, -0.018_912_554, 0.004_131_896_4, -0.000_606_545_6],
    ];
});
float!(f64, 52, 1023, 8, super::gemm::tile_f64, {
    const LN_2: [f64; 2] = [0.693_147_180_485_539_1, 7.440_617_110_012_397e-11];
    const EXPONENTIAL: &'static [f64] = &[
        1.0 / 2.0,
        1.0 / 6.0,
        1.0 / 24.0,
        1.0 / 120.0,
        1.0 / 720.0,
        1.0 / 5040.0,
        1.0 / 40320.0,
        1.0 / 362_880.0,
        1.0 / 3_628_800.0,
        1.0 / 39_916_800.0,
        1.0 / 479_001_600.0,
        1.0 / 6_227_020_800.0,
    ];
    const LOWEST_EXPONENT: f64 = -708.0;
    const HALF_PI: [f64; 3] =
        [1.570_796_326_734_125_6, 6.077_100_506_303_966e-11, 2.022_266_248_795_950_6e-21];
    const SINE: &'static [f64] = &[
        -1.0 / 6.0,
        1.0 / 120.0,
        -1.0 / 5040.0,
        1.0 / 362_880.0,
        -1.0 / 39_916_800.0,
        1.0 / 6_227_020_800.0,
        -1.0 / 1_307_674_368_000.0,
        1.0 / 355_687_428_096_000.0,
    ];
    const COSINE: &'static [f64] = &[
        -1.0 / 2.0,
        1.0 / 24.0,
        -1.0 / 720.0,
        1.0 / 40320.0,
        -1.0 / 3_628_800.0,
        1.0 / 479_001_600.0,
        -1.0 / 87_178_291_200.0,
        1.0 / 20_922_789_888_000.0,
    ];
    const NORMAL_TAIL: [&'static [f64]; 2] = [
        &[
            1.893_219_063_308_485_3,
            0.970_409_554_867_587_5,
            0.151_391_762_312_486_33,
            -0.008_722_295_275_055,
            0.000_334_244_623_140_994_9,
            -4.783_292_137_111_486e-6,
            1.796_412_449_438_933_1e-6,
            -1.578_425_560_686_323_4e-6,
            6.813_683_340_944_592e-7,
            -2.141_902_182_118_843_5e-7,
            4.927_026_245_385_01e-8,
            -6.354_011_950_321_62e-9,
        ],
        &[
            -1.523_770_910_819_983,
            -0.467_540_962_998_383_66,
            -0.018_900_450_860_077_425,
            0.004_087_855_656_903_888,
            -0.000_579_269_101_526_207_8,
            8.809_467_930_147_7e-5,
            -1.483_972_493_511_215_8e-5,
            2.560_759_384_883_432_2e-6,
            -3.885_604_680_450_894_5e-7,
            3.335_819_605_338_55e-8,
            4.805_656_913_292_669e-9,
            -1.830_307_544_828_979_4e-9,
        ],
    ];
});
