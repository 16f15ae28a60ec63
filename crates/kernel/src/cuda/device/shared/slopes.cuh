// Values and five derivatives of activations and input features at z. What a caller does not read is not computed.

// Of tanh: e = exp(-2|z|), r = 1 / (1 + e), and (1 - e) r, to the last two bits or so.
struct Saturation {
    number e, r, value;
};

#ifdef STAND_IN
inline double power_of_two(int exponent) {
    return std::ldexp(1.0, exponent);
}
inline number approximate_reciprocal(number x) {
    return 1 / x;
}
inline float power_of(float x) {
    return std::exp2(x);
}
#else
__device__ inline double power_of_two(int exponent) {
    return __hiloint2double((1023 + exponent) << 20, 0);
}
__device__ inline double approximate_reciprocal(double x) {
    double result;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(result) : "d"(x));
    return result;
}
__device__ inline float approximate_reciprocal(float x) {
    float result;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}
__device__ inline float power_of(float x) {
    float result;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}
#endif

// With twice = k log 2 + x, one series gives exp(x) - 1, and that both e and 1 - e without lost digits.
__device__ inline Saturation saturation(double z) {
    const double size = -2 * fabs(z), twice = size < -700 ? -700 : size;
    const double k = rint(twice * 1.4426950408889634);
    const double x = twice - k * 6.93147180369123816490e-01 - k * 1.90821492927058770002e-10;
    double series = 1.6059043836821613e-10;
    series = series * x + 2.0876756987868099e-9;
    series = series * x + 2.5052108385441719e-8;
    series = series * x + 2.7557319223985891e-7;
    series = series * x + 2.7557319223985891e-6;
    series = series * x + 2.4801587301587302e-5;
    series = series * x + 1.9841269841269841e-4;
    series = series * x + 1.3888888888888889e-3;
    series = series * x + 8.3333333333333333e-3;
    series = series * x + 4.1666666666666667e-2;
    series = series * x + 1.6666666666666667e-1;
    series = series * x + 0.5;
    const double rest = x * x * series + x, scale = power_of_two(int(k));
    const double e = scale * rest + scale;
    double r = approximate_reciprocal(1 + e);
    r += r * (1 - (1 + e) * r);
    r += r * (1 - (1 + e) * r);
    return Saturation{number(e), number(r), number(-(scale * rest + (scale - 1)) * r)};
}

// Where e is near one, a polynomial: 1 - e would lose digits. Values that are rounded to 16 bits or fewer have not so many.
__device__ inline Saturation saturation(float z) {
#if (TERMS == 1 || TERMS == 2) && !SCALED
    const float e = power_of(fabs(z) * -2.88539008f), r = approximate_reciprocal(1 + e);
    return Saturation{number(e), number(r), number(r - e * r)};
#else
    const float size = fabs(z), e = power_of(size * -2.88539008f), r = approximate_reciprocal(1 + e), y = z * z;
    const float rest = y * (y * (y * 0.016437557f - 0.052671798f) + 0.13320725f) - 0.33332947f;
    return Saturation{number(e), number(r), number(size < 0.55f ? size + size * y * rest : r - e * r)};
#endif
}

// From the value and the first derivative.
__device__ inline void slopes_of_tanh(number a, number q, number (&s)[6]) {
    const number a2 = a * a;
    s[0] = a;
    s[1] = q;
    s[2] = number(-2) * a * q;
    s[3] = q * (number(6) * a2 - number(2));
    s[4] = number(8) * a * q * (number(2) - number(3) * a2);
    s[5] = number(8) * q * (number(15) * a2 * (a2 - number(1)) + number(2));
}

__device__ inline void tanh_slopes(number z, number (&s)[6]) {
    // 1 - a*a would lose all digits of a saturated neuron; 4e/(1+e)^2 keeps them.
    const Saturation at = saturation(z);
    slopes_of_tanh(copysign(at.value, z), number(4) * at.e * at.r * at.r, s);
}

// What the fused step keeps of a neuron instead of z, so that slopes follow without another exponential: 1 - |tanh(z)|, to
// the last digits of a saturated neuron too, with the sign of z.
__device__ inline number tanh_kept(number z) {
    const Saturation at = saturation(z);
    return copysign(number(2) * at.e * at.r, z);
}

__device__ inline void tanh_slopes_again(number kept, number (&s)[6]) {
    const number rest = fabs(kept);
    slopes_of_tanh(copysign(number(1) - rest, kept), rest * (number(2) - rest), s);
}

__device__ inline void sin_slopes(number z, number (&s)[6]) {
    number sine, cosine;
    sincos(z, &sine, &cosine);
    s[0] = s[4] = sine;
    s[1] = s[5] = cosine;
    s[2] = -sine;
    s[3] = -cosine;
}

__device__ inline void cos_slopes(number z, number (&s)[6]) {
    number sine, cosine;
    sincos(z, &sine, &cosine);
    s[0] = s[4] = cosine;
    s[1] = s[5] = -sine;
    s[2] = -cosine;
    s[3] = sine;
}

__device__ inline void identity_slopes(number z, number (&s)[6]) {
    s[0] = z;
    s[1] = number(1);
    s[2] = s[3] = s[4] = s[5] = number(0);
}

__device__ inline void gelu_slopes(number z, number (&s)[6]) {
    const number p = number(0.5) * erfc(-z * number(0.70710678118654752));
    const number q = exp(number(-0.5) * z * z) * number(0.39894228040143268), z2 = z * z;
    s[0] = z * p;
    s[1] = p + z * q;
    s[2] = (number(2) - z2) * q;
    s[3] = z * (z2 - number(4)) * q;
    s[4] = ((number(7) - z2) * z2 - number(4)) * q;
    s[5] = z * ((z2 - number(11)) * z2 + number(18)) * q;
}

__device__ inline void silu_slopes(number z, number (&s)[6]) {
    const number e = exp(-fabs(z)), r = number(1) / (number(1) + e);
    const number p = z < number(0) ? e * r : r, q = e * r * r, p2 = p * p, p3 = p2 * p;
    s[0] = z * p;
    s[1] = p + z * q;
    s[2] = q * (number(2) + z * (number(1) - number(2) * p));
    s[3] = q * (number(3) - number(6) * p + z * (number(1) + number(6) * (p2 - p)));
    s[4] = q * (number(4) - number(24) * p + number(24) * p2 +
                z * (number(1) - number(14) * p + number(36) * p2 - number(24) * p3));
    s[5] = q * (number(5) - number(70) * p + number(180) * p2 - number(120) * p3 +
                z * (number(1) - number(30) * p + number(150) * p2 - number(240) * p3 + number(120) * p3 * p));
}
