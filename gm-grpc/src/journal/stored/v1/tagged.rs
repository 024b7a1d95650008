//! Reads an event by its tag, without a copy of its fields.
//!
//! ```text
//! {"event":"car_moved","car":3,"squares":4,"to":12}
//!  ^ the tag comes first: it says which fields follow
//! ```
//!
//! What serde derives for a tag inside an object keeps all fields aside until it has found the tag, and forgets
//! where in the text they were. A stored event has its tag in front. So its fields are read where they are, and an
//! error can name the one that is wrong.

use serde::de::{DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, VariantAccess, Visitor};
use serde::{Deserialize, forward_to_deserialize_any};

/// The field in front of all others.
#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum Tag {
    Event,
}

/// An object that begins with the tag `event`, to be read as an enum: its variant's name, then that one's fields.
pub(super) struct Tagged<M>(pub(super) M);

/// The fields behind the tag.
pub(super) struct Fields<M>(M);

impl<'de, M: MapAccess<'de>> Deserializer<'de> for Tagged<M> {
    type Error = M::Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, M::Error> {
        Err(M::Error::custom("only an enum has a tag"))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, M::Error> {
        visitor.visit_enum(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

impl<'de, M: MapAccess<'de>> EnumAccess<'de> for Tagged<M> {
    type Error = M::Error;
    type Variant = Fields<M>;

    fn variant_seed<S: DeserializeSeed<'de>>(mut self, seed: S) -> Result<(S::Value, Fields<M>), M::Error> {
        let Some(Tag::Event) = self.0.next_key()? else { return Err(M::Error::missing_field("event")) };
        let variant = self.0.next_value_seed(seed)?;
        Ok((variant, Fields(self.0)))
    }
}

/// Events have named fields, if only none of them.
impl<'de, M: MapAccess<'de>> VariantAccess<'de> for Fields<M> {
    type Error = M::Error;

    fn unit_variant(self) -> Result<(), M::Error> {
        Err(M::Error::custom("an event has named fields"))
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, _: S) -> Result<S::Value, M::Error> {
        Err(M::Error::custom("an event has named fields"))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, M::Error> {
        Err(M::Error::custom("an event has named fields"))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, M::Error> {
        visitor.visit_map(self.0)
    }
}
