//! cuBLASLt, found when it is first needed. Everything here that talks to the library is `unsafe` inside and safe
//! outside: descriptors live as long as the [`Library`] that owns them, and addresses are places of a live arena.

use super::WORKSPACE;
use super::products::{Factors, MatrixLayout, MatrixProduct};
use crate::Precision;
use crate::cuda::CudaError;
use crate::cuda::machine::{Gpu, Region, preload};
use cudarc::cublaslt::result::{self, CublasError};
use cudarc::cublaslt::sys;
use std::ffi::c_void;

/// The library's names, the newest first.
const NAMES: [&str; 2] = ["libcublasLt.so.13", "libcublasLt.so.12"];

/// The library, and what it was asked for so far.
#[derive(Debug)]
pub(crate) struct Library {
    gpu: Gpu,
    handle: sys::cublasLtHandle_t,
    precision: Precision,
    planned: Vec<(MatrixProduct, Planned)>,
}

// SAFETY: a handle has one owner, and every call enters the device's context first.
unsafe impl Send for Library {}

/// A product with the way in which the library computes it.
#[derive(Debug)]
struct Planned {
    description: Description,
    /// Of the left factor, the right factor and the result.
    layouts: [Layout; 3],
    algorithm: sys::cublasLtMatmulAlgo_t,
}

fn failed(call: &'static str) -> impl Fn(CublasError) -> CudaError {
    move |CublasError(status)| CudaError::Driver { call, reason: format!("{status:?}") }
}

impl Library {
    pub(super) fn open(gpu: &Gpu, precision: Precision) -> Result<Library, CudaError> {
        NAMES.iter().for_each(|name| preload(name));
        // SAFETY: asks the loader for the library; no CUDA function is called.
        if !unsafe { sys::is_culib_present() } {
            return Err(CudaError::NoProducts);
        }
        gpu.bind()?;
        let handle = result::create_handle().map_err(failed("opening cuBLASLt"))?;
        Ok(Library { gpu: gpu.clone(), handle, precision, planned: Vec::new() })
    }

    /// The kind of number of all matrices, and how products are computed.
    fn kinds(&self) -> (sys::cudaDataType, sys::cublasComputeType_t) {
        use sys::cublasComputeType_t as Compute;
        use sys::cudaDataType_t as Number;
        match self.precision {
            Precision::F64 => (Number::CUDA_R_64F, Compute::CUBLAS_COMPUTE_64F),
            Precision::F32 | Precision::Bf16x6 | Precision::Fp16x3 | Precision::Bf16x3 => {
                (Number::CUDA_R_32F, Compute::CUBLAS_COMPUTE_32F)
            }
            Precision::Tf32 => (Number::CUDA_R_32F, Compute::CUBLAS_COMPUTE_32F_FAST_TF32),
            Precision::Bf16 => (Number::CUDA_R_32F, Compute::CUBLAS_COMPUTE_32F_FAST_16BF),
            Precision::Fp16 => (Number::CUDA_R_32F, Compute::CUBLAS_COMPUTE_32F_FAST_16F),
        }
    }

    /// Asks the library for the way that it thinks is the fastest, unless that was done before.
    pub(super) fn prepare(&mut self, product: MatrixProduct) -> Result<(), CudaError> {
        if self.planned.iter().any(|(known, _)| *known == product) {
            return Ok(());
        }
        self.gpu.bind()?;
        let (number, compute) = self.kinds();
        let matrices = product.matrices();
        let [left, right, out] = matrices;
        let description = Description::new(compute, number, [left.transposed, right.transposed])?;
        let layouts = [Layout::new(number, left)?, Layout::new(number, right)?, Layout::new(number, out)?];
        let preference = Preference::new(matrices.map(|matrix| matrix.alignment))?;
        // SAFETY: all of these were made above and are alive.
        let found = unsafe {
            result::get_matmul_algo_heuristic(
                self.handle,
                description.0,
                layouts[0].0,
                layouts[1].0,
                layouts[2].0,
                layouts[2].0,
                preference.0,
            )
        };
        let algorithm = found.map_err(failed("choosing a product"))?.algo;
        self.planned.push((product, Planned { description, layouts, algorithm }));
        Ok(())
    }

    /// Queues a product.
    pub(super) fn multiply(
        &self,
        product: MatrixProduct,
        factors: Factors,
        workspace: Region<u8>,
    ) -> Result<(), CudaError> {
        let found = self.planned.iter().find(|(known, _)| *known == product);
        let (_, planned) = found.expect("every product was prepared");
        let added = if factors.adds { 1.0 } else { 0.0 };
        let (doubles, floats) = ([1.0, added], [1.0, added as f32]);
        let scales: [*const c_void; 2] = match self.precision {
            Precision::F64 => [(&raw const doubles[0]).cast(), (&raw const doubles[1]).cast()],
            _ => [(&raw const floats[0]).cast(), (&raw const floats[1]).cast()],
        };
        self.gpu.bind()?;
        let [left, right, out] = &planned.layouts;
        // SAFETY: descriptors are alive; addresses are those of matrices of the described sizes in a live arena, and
        // so is the workspace; the library reads the scales before it returns.
        let queued = unsafe {
            result::matmul(
                self.handle,
                planned.description.0,
                scales[0],
                scales[1],
                factors.left.address() as *const c_void,
                left.0,
                factors.right.address() as *const c_void,
                right.0,
                factors.result.address() as *const c_void,
                out.0,
                factors.result.address() as *mut c_void,
                out.0,
                &raw const planned.algorithm,
                workspace.address() as *mut c_void,
                WORKSPACE,
                self.gpu.stream().cast(),
            )
        };
        queued.map_err(failed("multiplying"))
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        if self.gpu.bind().is_ok() {
            // SAFETY: created once, destroyed once. A failure leaves nothing to be done.
            _ = unsafe { result::destroy_handle(self.handle) };
        }
    }
}

/// What is multiplied how.
#[derive(Debug)]
struct Description(sys::cublasLtMatmulDesc_t);

impl Description {
    fn new(
        compute: sys::cublasComputeType_t,
        scale: sys::cudaDataType,
        transposed: [bool; 2],
    ) -> Result<Self, CudaError> {
        use sys::cublasLtMatmulDescAttributes_t::{CUBLASLT_MATMUL_DESC_TRANSA, CUBLASLT_MATMUL_DESC_TRANSB};
        let made = result::create_matmul_desc(compute, scale).map_err(failed("describing a product"))?;
        let description = Description(made);
        for (attribute, transposed) in
            [CUBLASLT_MATMUL_DESC_TRANSA, CUBLASLT_MATMUL_DESC_TRANSB].into_iter().zip(transposed)
        {
            // As `cublasOperation_t`: as it is, or transposed.
            let operation = i32::from(transposed);
            // SAFETY: the description is alive, and the value has the size that is named.
            let set = unsafe {
                result::set_matmul_desc_attribute(
                    description.0,
                    attribute,
                    (&raw const operation).cast(),
                    size_of_val(&operation),
                )
            };
            set.map_err(failed("describing a product"))?;
        }
        Ok(description)
    }
}

impl Drop for Description {
    fn drop(&mut self) {
        // SAFETY: created once, destroyed once.
        _ = unsafe { result::destroy_matmul_desc(self.0) };
    }
}

/// How a matrix lies.
#[derive(Debug)]
struct Layout(sys::cublasLtMatrixLayout_t);

impl Layout {
    fn new(number: sys::cudaDataType, matrix: MatrixLayout) -> Result<Self, CudaError> {
        let (rows, columns) = (matrix.rows as u64, matrix.columns as u64);
        let made = result::create_matrix_layout(number, rows, columns, matrix.rows as i64);
        made.map(Layout).map_err(failed("describing a matrix"))
    }
}

impl Drop for Layout {
    fn drop(&mut self) {
        // SAFETY: created once, destroyed once.
        _ = unsafe { result::destroy_matrix_layout(self.0) };
    }
}

/// What the library may count on.
struct Preference(sys::cublasLtMatmulPreference_t);

impl Preference {
    /// The workspace that there is, and that addresses of the three matrices are multiples of so many bytes.
    fn new([left, right, out]: [u32; 3]) -> Result<Self, CudaError> {
        use sys::cublasLtMatmulPreferenceAttributes_t as Attribute;
        let made = result::create_matmul_pref().map_err(failed("asking for a product"))?;
        let preference = Preference(made);
        let workspace = WORKSPACE as u64;
        preference.set(Attribute::CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspace)?;
        preference.set(Attribute::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, left)?;
        preference.set(Attribute::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, right)?;
        preference.set(Attribute::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, out)?;
        preference.set(Attribute::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, out)?;
        Ok(preference)
    }

    fn set<V: Copy>(
        &self,
        attribute: sys::cublasLtMatmulPreferenceAttributes_t,
        value: V,
    ) -> Result<(), CudaError> {
        // SAFETY: the preference is alive, and the value has the size that is named.
        let set = unsafe {
            result::set_matmul_pref_attribute(self.0, attribute, (&raw const value).cast(), size_of::<V>())
        };
        set.map_err(failed("asking for a product"))
    }
}

impl Drop for Preference {
    fn drop(&mut self) {
        // SAFETY: created once, destroyed once.
        _ = unsafe { result::destroy_matmul_pref(self.0) };
    }
}
