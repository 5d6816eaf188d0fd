//! A macro for all modules.

/// Shows a struct or a variant as a derived `Debug` does. A field is a variable of the same name or,
/// after `=`, an expression. `..` at the end says that there are other fields.
macro_rules! debug_fields {
    ($f:ident, $name:ident { $($field:ident $(= $value:expr)?),* }) => {
        $f.debug_struct(stringify!($name))
            $(.field(stringify!($field), debug_fields!(@ $field $($value)?)))*
            .finish()
    };
    ($f:ident, $name:ident { $($field:ident $(= $value:expr)?,)* .. }) => {
        $f.debug_struct(stringify!($name))
            $(.field(stringify!($field), debug_fields!(@ $field $($value)?)))*
            .finish_non_exhaustive()
    };
    (@ $field:ident) => { $field };
    (@ $field:ident $value:expr) => { &$value };
}
