//! The `variant!` macro.

/// Creates a [`Variant`](crate::Variant) from a literal: `null`, arrays in brackets, dictionaries
/// in braces, and any expression that is `Into<Variant>`.
///
/// ```
/// use gdwire::{math::Vector3, variant};
///
/// let health = 87;
/// let state = variant!({
///     "position": Vector3::new(1.0, 2.0, 3.0),
///     "health": health + 1,
///     "tags": ["boss", null, [1, 2.5]],
///     7: {},
/// });
/// assert_eq!(state.get("health"), Some(&variant!(88)));
/// ```
///
/// A key is a literal, an identifier or an expression in parentheses.
///
/// A vector or a slice becomes an Array. For a packed array, use [`Packed`](crate::Packed):
/// `variant!({ "tiles": Packed(tiles) })`.
#[macro_export]
macro_rules! variant {
    (null) => { $crate::Variant::Nil };
    ([ $($elements:tt)* ]) => {
        $crate::Variant::Array($crate::variant!(@array [] $($elements)*).into())
    };
    ({ $($entries:tt)* }) => {
        $crate::Variant::Dictionary($crate::variant!(@dictionary [] $($entries)*))
    };

    (@array [$($done:expr,)*]) => { $crate::__private::vec![$($done),*] };
    (@array [$($done:expr,)*] null $(, $($rest:tt)*)?) => {
        $crate::variant!(@array [$($done,)* $crate::variant!(null),] $($($rest)*)?)
    };
    (@array [$($done:expr,)*] [$($inner:tt)*] $(, $($rest:tt)*)?) => {
        $crate::variant!(@array [$($done,)* $crate::variant!([$($inner)*]),] $($($rest)*)?)
    };
    (@array [$($done:expr,)*] {$($inner:tt)*} $(, $($rest:tt)*)?) => {
        $crate::variant!(@array [$($done,)* $crate::variant!({$($inner)*}),] $($($rest)*)?)
    };
    (@array [$($done:expr,)*] $next:expr $(, $($rest:tt)*)?) => {
        $crate::variant!(@array [$($done,)* $crate::variant!($next),] $($($rest)*)?)
    };

    (@dictionary [$($done:expr,)*]) => {
        <$crate::Dictionary as ::core::iter::FromIterator<($crate::Variant, $crate::Variant)>>::from_iter([$($done),*])
    };
    (@dictionary [$($done:expr,)*] $key:tt : null $(, $($rest:tt)*)?) => {
        $crate::variant!(@dictionary [$($done,)* ($crate::variant!($key), $crate::variant!(null)),] $($($rest)*)?)
    };
    (@dictionary [$($done:expr,)*] $key:tt : [$($inner:tt)*] $(, $($rest:tt)*)?) => {
        $crate::variant!(@dictionary [$($done,)* ($crate::variant!($key), $crate::variant!([$($inner)*])),] $($($rest)*)?)
    };
    (@dictionary [$($done:expr,)*] $key:tt : {$($inner:tt)*} $(, $($rest:tt)*)?) => {
        $crate::variant!(@dictionary [$($done,)* ($crate::variant!($key), $crate::variant!({$($inner)*})),] $($($rest)*)?)
    };
    (@dictionary [$($done:expr,)*] $key:tt : $value:expr $(, $($rest:tt)*)?) => {
        $crate::variant!(@dictionary [$($done,)* ($crate::variant!($key), $crate::variant!($value)),] $($($rest)*)?)
    };

    ($value:expr) => { $crate::Variant::from($value) };
}
