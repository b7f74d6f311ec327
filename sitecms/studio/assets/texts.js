/** Texts in the language of the page, by their English; a module `texts/<language>.js` gives them, if it is not English. */

let texts = {};
let form = () => 0;

/** Use translations, and the rule that says which form of a text a number takes. */
export function use(translations, rule) {
  texts = translations;
  form = rule;
}

/** Return a text with its values: `_("Saved by %(name)s.", { name })`. */
export function _(text, values) {
  return fill(texts[text] ?? text, values);
}

/** Return the form of a text for a number, which is its value `num`. */
export function ngettext(singular, plural, num, values) {
  const english = num === 1 ? singular : plural;
  return fill(texts[singular]?.[form(num)] ?? english, { num, ...values });
}

function fill(text, values) {
  return text.replace(/%(?:\((\w+)\)s|%)/g, (match, name) => (name ? values[name] : "%"));
}
