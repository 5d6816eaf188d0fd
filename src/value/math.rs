//! The engine's math types, generic over their component.
//!
//! `Vector3<f32>` is for computing. `Vector3<F32Le>` has the layout of a packet and alignment 1, so
//! that an array in a packet can be read as a slice without a copy. The fields have the order of the
//! wire format.
//!
//! ```
//! use gdwire::{F32Le, math::Vector3};
//!
//! let wire: Vector3<F32Le> = Vector3::new(1.0, 2.0, 3.0).map(F32Le::new);
//! assert_eq!(wire.to::<f64>(), Vector3::new(1.0, 2.0, 3.0));
//! ```
//!
//! The types contain each other as they do in the engine:
//!
//! ```
//! use gdwire::math::{Aabb, Basis, Color, Plane, Quaternion, Rect2};
//! use gdwire::math::{Transform2D, Transform3D, Vector2, Vector3, Vector4};
//!
//! let rect = Rect2::new(Vector2::new(0.0, 0.0), Vector2::new(4.0, 3.0));
//! assert_eq!(rect.size.x, 4.0);
//!
//! let [x, y, z] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Vector3::from);
//! let transform = Transform3D::new(Basis::from_axes(x, y, z), Vector3::new(0.0, 2.0, 0.0));
//! assert_eq!(transform.basis.axes(), [x, y, z]);
//!
//! let flat = Transform2D::new(Vector2::new(1.0, 0.0), Vector2::new(0.0, 1.0), rect.position);
//! assert_eq!(flat.origin, rect.position);
//! let plane = Plane::new(y, 2.0);
//! let aabb = Aabb::new(transform.origin, x);
//! assert_eq!((plane.normal, aabb.position), (y, transform.origin));
//!
//! let turn = Quaternion::new(0.0, 1.0, 0.0, 0.0);
//! let [r, g, b, a] = Vector4::new(1.0, 0.5, 0.0, 1.0).into();
//! assert_eq!((Color::new(r, g, b, a).g, turn.y), (0.5, 1.0));
//! assert!(transform.is_finite() && !Vector2::new(0.0, f32::NAN).is_finite());
//! ```

use super::{Component, F32Le, F64Le, Real};
use crate::value::number::{cast, native};
use bytemuck::{Pod, Zeroable};
use core::any::TypeId;
use core::fmt;
use core::marker::PhantomData;

mod sealed {
    pub trait Sealed {}
}

/// A math type of this module. It consists of components of one type.
pub trait Math: Pod + PartialEq + fmt::Debug + sealed::Sealed {
    /// The type of its components.
    type Component: Component;
}

/// A math type regardless of its component: `Vector3<f32>` stands for every `Vector3`.
pub trait Shape: sealed::Sealed {
    /// The math type with that component.
    type Of<T: Component>: Math<Component = T>;
}

/// A math value in a packet, whose reals have four or eight bytes.
#[derive(Debug)]
pub struct RealRef<'a, S> {
    /// A header, and the components.
    value: &'a [u8],
    is_wide: bool,
    shape: PhantomData<fn() -> S>,
}

impl<'a, S: Shape> RealRef<'a, S> {
    #[inline]
    pub(crate) const fn new(value: &'a [u8], is_wide: bool) -> RealRef<'a, S> {
        RealRef { value, is_wide, shape: PhantomData }
    }

    fn components(self) -> &'a [u8] {
        self.value.get(4..).unwrap_or(&[])
    }

    /// The value with components of `f32` (rounded to the nearest) or `f64` (exact).
    #[inline]
    #[must_use]
    pub fn to<R: Real>(self) -> S::Of<R> {
        if self.is_wide {
            convert::<F64Le, 4, _>(self.value)
        } else {
            convert::<F32Le, 4, _>(self.value)
        }
    }

    /// The value in the packet, without a copy, if its components are `f32`.
    #[must_use]
    pub fn as_single(self) -> Option<&'a S::Of<F32Le>> {
        if self.is_wide { None } else { cast(self.components()).first() }
    }

    /// The value in the packet, without a copy, if its components are `f64`.
    #[must_use]
    pub fn as_double(self) -> Option<&'a S::Of<F64Le>> {
        if self.is_wide { cast(self.components()).first() } else { None }
    }
}

/// A packed array of math values in a packet, whose reals have four or eight bytes.
///
/// ```
/// use gdwire::{Dialect, math::Vector2, parse};
///
/// let packet = [24, 0, 0, 0, 1, 0, 0, 0, 0, 0, 192, 63, 0, 0, 0, 64];
/// let path = parse(Dialect::GODOT_3, &packet)?.as_vector2_array().ok_or("no path")?;
/// assert_eq!(path.get::<f32>(0), Some(Vector2::new(1.5, 2.0)));
/// let lengths: Vec<f64> = path.iter::<f64>().map(|at| at.x.hypot(at.y)).collect();
/// assert_eq!(lengths, [2.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub enum RealSlice<'a, S: Shape> {
    /// Values with components of `f32`.
    Single(&'a [S::Of<F32Le>]),
    /// Values with components of `f64`.
    Double(&'a [S::Of<F64Le>]),
}

impl<'a, S: Shape> RealSlice<'a, S> {
    /// How many values there are.
    #[must_use]
    pub const fn len(self) -> usize {
        match self {
            RealSlice::Single(values) => values.len(),
            RealSlice::Double(values) => values.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// One value, with components of `f32` (rounded to the nearest) or `f64` (exact).
    #[must_use]
    pub fn get<R: Real>(self, index: usize) -> Option<S::Of<R>> {
        match self {
            RealSlice::Single(values) => values.get(index).map(change),
            RealSlice::Double(values) => values.get(index).map(change),
        }
    }

    /// The values, with components of `f32` (rounded to the nearest) or `f64` (exact).
    pub fn iter<R: Real>(self) -> impl ExactSizeIterator<Item = S::Of<R>> + use<'a, S, R> {
        (0..self.len()).map(move |index| self.get(index).unwrap_or_else(S::Of::<R>::zeroed))
    }

    /// The values in the packet, without a copy, if their components are `f32`.
    #[must_use]
    pub const fn as_single(self) -> Option<&'a [S::Of<F32Le>]> {
        match self {
            RealSlice::Single(values) => Some(values),
            RealSlice::Double(_) => None,
        }
    }

    /// The values in the packet, without a copy, if their components are `f64`.
    #[must_use]
    pub const fn as_double(self) -> Option<&'a [S::Of<F64Le>]> {
        match self {
            RealSlice::Double(values) => Some(values),
            RealSlice::Single(_) => None,
        }
    }

    /// The values as a slice of native `f32`, without a copy. None if their components are `f64`, if
    /// the slice is not aligned to four bytes, or if the processor is big-endian.
    #[must_use]
    pub fn as_native_single(self) -> Option<&'a [S::Of<f32>]> {
        native(self.as_single()?)
    }

    /// The values as a slice of native `f64`, without a copy. None if their components are `f32`, if
    /// the slice is not aligned to eight bytes, or if the processor is big-endian.
    #[must_use]
    pub fn as_native_double(self) -> Option<&'a [S::Of<f64>]> {
        native(self.as_double()?)
    }

    /// The components of all values, one after the other, without a copy. None if
    /// [`as_native_single`](RealSlice::as_native_single) is none.
    ///
    /// ```
    /// use gdwire::{Dialect, parse};
    ///
    /// let packet = [24, 0, 0, 0, 1, 0, 0, 0, 0, 0, 192, 63, 0, 0, 0, 64];
    /// let path = parse(Dialect::GODOT_3, &packet)?.as_vector2_array().ok_or("no path")?;
    /// // None if the packet does not lie at a multiple of four bytes in memory.
    /// if let Some(numbers) = path.as_flat_single() {
    ///     assert_eq!(numbers, [1.5, 2.0]);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn as_flat_single(self) -> Option<&'a [f32]> {
        native(self.as_single()?)
    }

    /// The components of all values, one after the other, without a copy. None if
    /// [`as_native_double`](RealSlice::as_native_double) is none.
    #[must_use]
    pub fn as_flat_double(self) -> Option<&'a [f64]> {
        native(self.as_double()?)
    }
}

/// Two values are equal if their numbers are equal, regardless of their widths.
impl<S: Shape> PartialEq for RealRef<'_, S> {
    fn eq(&self, other: &Self) -> bool {
        self.to::<f64>() == other.to::<f64>()
    }
}

/// Two values are equal if their numbers are equal, regardless of their widths.
impl<S: Shape> PartialEq for RealSlice<'_, S> {
    fn eq(&self, other: &Self) -> bool {
        self.iter::<f64>().eq(other.iter::<f64>())
    }
}

impl<S: Shape> Clone for RealRef<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Shape> Copy for RealRef<'_, S> {}

impl<S: Shape> Clone for RealSlice<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Shape> Copy for RealSlice<'_, S> {}

/// The math value at `START`, where its components have the type `W`.
#[inline]
fn convert<W: Component<Native: Real>, const START: usize, M: Math<Component: Real>>(
    bytes: &[u8],
) -> M {
    let len = size_of::<M>() / size_of::<M::Component>() * size_of::<W>();
    match bytes.get(START..START + len) {
        // The compiler knows the length, and looks for no component.
        Some(whole) => each::<W, M>(whole),
        None => incomplete::<W, M>(bytes.get(START..).unwrap_or(&[])),
    }
}

/// The same for bytes that end early.
#[cold]
#[inline(never)]
fn incomplete<W: Component<Native: Real>, M: Math<Component: Real>>(bytes: &[u8]) -> M {
    each::<W, M>(bytes)
}

#[inline(always)]
fn each<W: Component<Native: Real>, M: Math<Component: Real>>(bytes: &[u8]) -> M {
    let mut components = cast::<W>(bytes).iter();
    from_components(|| {
        components.next().map_or(M::Component::from(0.0), |component| same(component.get()))
    })
}

/// The same number as another type, which is most often the same type.
#[inline(always)]
fn same<N: Real, M: Real>(number: N) -> M {
    if TypeId::of::<N>() == TypeId::of::<M>()
        && let Ok(number) = bytemuck::try_cast(number)
    {
        return number;
    }
    M::from_f64(number.to_f64())
}

/// The same value with another type of component.
#[inline]
pub(crate) fn change<M: Math<Component: Component<Native: Real>>, N: Math<Component: Real>>(
    value: &M,
) -> N {
    convert::<M::Component, 0, N>(bytemuck::bytes_of(value))
}

macro_rules! math {
    ($(
        $(#[$doc:meta])*
        $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty as $part:ident),* $(,)? }
    )*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
        #[repr(C)]
        pub struct $name<T> {
            $($(#[$field_doc])* pub $field: $type,)*
        }

        impl<T> sealed::Sealed for $name<T> {}

        impl<T: Component> Math for $name<T> {
            type Component = T;
        }

        impl Shape for $name<f32> {
            type Of<T: Component> = $name<T>;
        }

        impl<T> $name<T> {
            /// Creates the value from its parts, in the order of the wire format.
            #[inline]
            #[must_use]
            pub const fn new($($field: $type),*) -> $name<T> {
                $name { $($field),* }
            }
        }

        impl<T: Copy> $name<T> {
            /// Converts each component.
            #[inline]
            #[must_use]
            pub fn map<U>(self, change: impl Fn(T) -> U + Copy) -> $name<U> {
                $name { $($field: math!(@$part self.$field, change)),* }
            }
        }

        impl<T: Component> $name<T>
        where
            T::Native: Real,
        {
            /// Converts the components to `f32` (rounded to the nearest) or `f64` (exact).
            #[inline]
            #[must_use]
            pub fn to<R: Real>(self) -> $name<R> {
                self.map(|component| R::from_f64(component.get().to_f64()))
            }

            /// Whether no component is infinite or NaN.
            #[inline]
            #[must_use]
            pub fn is_finite(self) -> bool {
                components(&self).iter().all(|component| component.get().to_f64().is_finite())
            }
        }
    )*};
    (@component $value:expr, $change:ident) => { $change($value) };
    (@rows $value:expr, $change:ident) => { $value.map(|row| row.map($change)) };
    (@math $value:expr, $change:ident) => { $value.map($change) };
}

math! {
    /// Two components.
    Vector2 {
        /// First component.
        x: T as component,
        /// Second component.
        y: T as component,
    }
    /// Three components.
    Vector3 {
        /// First component.
        x: T as component,
        /// Second component.
        y: T as component,
        /// Third component.
        z: T as component,
    }
    /// Four components.
    Vector4 {
        /// First component.
        x: T as component,
        /// Second component.
        y: T as component,
        /// Third component.
        z: T as component,
        /// Fourth component.
        w: T as component,
    }
    /// A rectangle.
    Rect2 {
        /// The corner with the smallest coordinates, unless the size is negative.
        position: Vector2<T> as math,
        /// Width and height.
        size: Vector2<T> as math,
    }
    /// A 2D transform, three columns.
    Transform2D {
        /// The x axis.
        x: Vector2<T> as math,
        /// The y axis.
        y: Vector2<T> as math,
        /// The translation.
        origin: Vector2<T> as math,
    }
    /// A plane: the points `p` with `normal · p = d`.
    Plane {
        /// The normal.
        normal: Vector3<T> as math,
        /// The distance from the origin along the normal.
        d: T as component,
    }
    /// A quaternion.
    Quaternion {
        /// First imaginary part.
        x: T as component,
        /// Second imaginary part.
        y: T as component,
        /// Third imaginary part.
        z: T as component,
        /// Real part.
        w: T as component,
    }
    /// An axis-aligned box.
    Aabb {
        /// The corner with the smallest coordinates, unless the size is negative.
        position: Vector3<T> as math,
        /// Width, height and depth.
        size: Vector3<T> as math,
    }
    /// A 3 × 3 matrix.
    ///
    /// The engines write a basis row by row, but their constructors take its columns, which are the
    /// axes. A basis with the axes (1, 2, 3), (4, 5, 6) and (7, 8, 9) is written as
    /// 1 4 7 2 5 8 3 6 9. The published specification describes the transpose.
    Basis {
        /// The rows.
        rows: [Vector3<T>; 3] as rows,
    }
    /// A 3D transform.
    Transform3D {
        /// Rotation, scale and shear.
        basis: Basis<T> as math,
        /// The translation.
        origin: Vector3<T> as math,
    }
    /// A 4 × 4 matrix.
    Projection {
        /// The x column.
        x: Vector4<T> as math,
        /// The y column.
        y: Vector4<T> as math,
        /// The z column.
        z: Vector4<T> as math,
        /// The w column.
        w: Vector4<T> as math,
    }
    /// A colour. The channels go from 0 to 1, or beyond 1 for colours brighter than white.
    Color {
        /// Red.
        r: T as component,
        /// Green.
        g: T as component,
        /// Blue.
        b: T as component,
        /// Alpha, the opacity.
        a: T as component,
    }
}

impl<T: Copy> Basis<T> {
    /// Creates a basis from its axes, like the engine's constructor.
    #[must_use]
    pub const fn from_axes(x: Vector3<T>, y: Vector3<T>, z: Vector3<T>) -> Basis<T> {
        Basis {
            rows: [
                Vector3::new(x.x, y.x, z.x),
                Vector3::new(x.y, y.y, z.y),
                Vector3::new(x.z, y.z, z.z),
            ],
        }
    }

    /// The x, y and z axes.
    #[must_use]
    pub const fn axes(&self) -> [Vector3<T>; 3] {
        let [x, y, z] = self.rows;
        Basis::from_axes(x, y, z).rows
    }
}

macro_rules! arrays {
    ($($vector:ident $length:literal { $($field:ident)* })*) => {$(
        impl<T> From<[T; $length]> for $vector<T> {
            #[inline]
            fn from([$($field),*]: [T; $length]) -> $vector<T> {
                $vector { $($field),* }
            }
        }

        impl<T> From<$vector<T>> for [T; $length] {
            #[inline]
            fn from(vector: $vector<T>) -> [T; $length] {
                [$(vector.$field),*]
            }
        }
    )*};
}

arrays! {
    Vector2 2 { x y }
    Vector3 3 { x y z }
    Vector4 4 { x y z w }
}

/// The components of a math value, in the order of the wire.
pub(crate) fn components<M: Math>(value: &M) -> &[M::Component] {
    bytemuck::cast_slice(core::slice::from_ref(value))
}

/// A math value from its components, in the order of the wire. Missing components are zero.
pub(crate) fn from_components<M: Math>(mut next: impl FnMut() -> M::Component) -> M {
    let mut value = M::zeroed();
    let components: &mut [M::Component] =
        bytemuck::cast_slice_mut(core::slice::from_mut(&mut value));
    for component in components {
        *component = next();
    }
    value
}
