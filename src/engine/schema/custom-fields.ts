/** The attribute types of custom fields, which plugins define. */
import type { RegisteredFields } from "./definition.ts";

/** Fields of well-known plugins. Declared and registered fields come before this. */
const knownFields: Readonly<Record<string, string>> = {
  "plugin::advanced-uuid.uuid": "string",
  "plugin::strapi-advanced-uuid.uuid": "uid",
  "plugin::ckeditor.CKEditor": "richtext",
  "plugin::ckeditor5.CKEditor": "richtext",
  "plugin::color-picker.color": "string",
  "plugin::country-select.country": "string",
  "plugin::editorjs.editorjs": "richtext",
  "plugin::field-uuid.field-uuid": "string",
  "plugin::geodata.geojson": "json",
  "plugin::google-maps.location-picker": "json",
  "plugin::icon-selector.icon-selector": "string",
  "plugin::jodit-editor.jodit": "richtext",
  "plugin::key-value.key-value": "json",
  "plugin::language-select.language": "string",
  "plugin::map-field.map-field": "json",
  "plugin::multi-select.multi-select": "json",
  "plugin::oembed.oembed": "json",
  "plugin::permalinks.permalink": "string",
  "plugin::react-icons.icon": "string",
  "plugin::strapi-leaflet-geoman.geojson": "json",
  "plugin::strapi-location-picker.location": "json",
  "plugin::string-array.input": "json",
  "plugin::tagsinput.tags": "json",
  "plugin::tinymce.tinymce": "richtext",
  "plugin::tiptap-editor.RichText": "richtext",
};

/** Words in names of fields of unlisted plugins. The first match wins. */
const knownWords: readonly (readonly [pattern: RegExp, type: string])[] = [
  [/ck-?editor|tiptap|tinymce|quill|jodit|rich-?text|wysiwyg|markdown/i, "richtext"],
  [/multi-?select|array|geo-?json|location|\bmap\b|coordinates|key-value|json|table|tags/i, "json"],
  [/colou?r|uuid|slug|icon|country|language|phone|timezone|currency|permalink|url|video/i, "string"],
];

const byWord = (uid: string): string | undefined => knownWords.find(([pattern]) => pattern.test(uid))?.[1];

export const UNKNOWN_FIELD_TYPE = "text";

/** The attribute type of a custom field by its uid; undefined if unknown. `declared`: from config/galley.json. */
export const customFieldTypes =
  (declared: Readonly<Record<string, string>>, registered: RegisteredFields = {}) =>
  (uid: string): string | undefined => {
    for (const table of [declared, registered, knownFields]) if (Object.hasOwn(table, uid)) return table[uid];
    return byWord(uid);
  };

/** Whether the table has a field. */
export const isListedField = (uid: string): boolean => Object.hasOwn(knownFields, uid);
