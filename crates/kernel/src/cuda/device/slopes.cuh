// Values and five derivatives of activations and input features at z. What a caller does not read is not computed.

// exp and 1/x to the last two bits or so.
__device__ inline double exponential(double x) {
    return exp(x);
}

__device__ inline double reciprocal(double x) {
    return 1 / x;
}

#ifdef STAND_IN
inline float exponential(float x) {
    return std::exp(x);
}

inline float reciprocal(float x) {
    return 1 / x;
}
#else
__device__ inline float exponential(float x) {
    float result;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x * 1.44269504f));
    return result;
}

__device__ inline float reciprocal(float x) {
    float result;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}
#endif

__device__ inline double tanh_of(double z, double twice, double, double r) {
    return copysign(-expm1(twice) * r, z);
}

// Where e is near one, a polynomial: 1 - e would lose digits.
__device__ inline float tanh_of(float z, float, float e, float r) {
    const float y = z * z;
    const float rest = y * (y * (y * 0.016437557f - 0.052671798f) + 0.13320725f) - 0.33332947f;
    return fabs(z) < 0.55f ? z + z * y * rest : copysign(r - e * r, z);
}

__device__ inline void tanh_slopes(number z, number (&s)[6]) {
    // 1 - a*a would lose all digits of a saturated neuron; 4e/(1+e)^2 keeps them.
    const number twice = number(-2) * fabs(z);
    const number e = exponential(twice), r = reciprocal(number(1) + e);
    const number a = tanh_of(z, twice, e, r), q = number(4) * e * r * r, a2 = a * a;
    s[0] = a;
    s[1] = q;
    s[2] = number(-2) * a * q;
    s[3] = q * (number(6) * a2 - number(2));
    s[4] = number(8) * a * q * (number(2) - number(3) * a2);
    s[5] = number(8) * q * (number(15) * a2 * (a2 - number(1)) + number(2));
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
