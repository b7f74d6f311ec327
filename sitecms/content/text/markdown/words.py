"""Words that Markdown adds to a text, in the language of the text: those of the theme's translations."""

from collections.abc import Mapping, Sequence

LANGUAGE = "language"
"""Key of the parser's environment for the language tag of the text; "" where it is not known."""
CALLOUT_TITLES: Mapping[str, Sequence[str]] = {
    "en": ("Note", "Tip", "Important", "Warning", "Caution"),
    "ar": ("ملاحظة", "نصيحة", "مهم", "تحذير", "تنبيه"),
    "bg": ("Бележка", "Съвет", "Важно", "Предупреждение", "Внимание"),
    "ca": ("Nota", "Consell", "Important", "Avís", "Precaució"),
    "cs": ("Poznámka", "Tip", "Důležité", "Varování", "Pozor"),
    "da": ("Bemærk", "Tip", "Vigtigt", "Advarsel", "Forsigtig"),
    "de": ("Hinweis", "Tipp", "Wichtig", "Warnung", "Vorsicht"),
    "el": ("Σημείωση", "Συμβουλή", "Σημαντικό", "Προειδοποίηση", "Προσοχή"),
    "es": ("Nota", "Consejo", "Importante", "Advertencia", "Precaución"),
    "fa": ("یادداشت", "نکته", "مهم", "هشدار", "احتیاط"),
    "fi": ("Huomautus", "Vinkki", "Tärkeää", "Varoitus", "Varo"),
    "fr": ("Remarque", "Astuce", "Important", "Avertissement", "Attention"),
    "he": ("הערה", "טיפ", "חשוב", "אזהרה", "זהירות"),
    "hi": ("टिप्पणी", "सुझाव", "महत्वपूर्ण", "चेतावनी", "सावधान"),
    "hu": ("Megjegyzés", "Tipp", "Fontos", "Figyelmeztetés", "Vigyázat"),
    "id": ("Catatan", "Kiat", "Penting", "Peringatan", "Awas"),
    "it": ("Nota", "Suggerimento", "Importante", "Avvertenza", "Attenzione"),
    "ja": ("メモ", "ヒント", "重要", "警告", "注意"),
    "ko": ("참고", "팁", "중요", "경고", "주의"),
    "nb": ("Merk", "Tips", "Viktig", "Advarsel", "Forsiktig"),
    "nl": ("Opmerking", "Tip", "Belangrijk", "Waarschuwing", "Let op"),
    "pl": ("Uwaga", "Wskazówka", "Ważne", "Ostrzeżenie", "Ostrożnie"),
    "pt": ("Nota", "Dica", "Importante", "Aviso", "Cuidado"),
    "ro": ("Notă", "Sfat", "Important", "Avertisment", "Atenție"),
    "ru": ("Примечание", "Совет", "Важно", "Предупреждение", "Осторожно"),
    "sk": ("Poznámka", "Tip", "Dôležité", "Varovanie", "Pozor"),
    "sv": ("Obs", "Tips", "Viktigt", "Varning", "Försiktigt"),
    "tr": ("Not", "İpucu", "Önemli", "Uyarı", "Dikkat"),
    "uk": ("Примітка", "Порада", "Важливо", "Попередження", "Обережно"),
    "vi": ("Ghi chú", "Mẹo", "Quan trọng", "Cảnh báo", "Thận trọng"),
    "zh": ("备注", "提示", "重要", "警告", "注意"),
}
FOOTNOTE_WORDS: Mapping[str, Sequence[str]] = {
    "en": ("Footnotes", "Footnote {}", "Back to reference {}"),
    "ar": ("الحواشي", "الحاشية {}", "العودة إلى الإشارة {}"),
    "bg": ("Бележки под линия", "Бележка {}", "Обратно към препратка {}"),
    "ca": ("Notes al peu", "Nota {}", "Torna a la referència {}"),
    "cs": ("Poznámky pod čarou", "Poznámka {}", "Zpět na odkaz {}"),
    "da": ("Fodnoter", "Fodnote {}", "Tilbage til henvisning {}"),
    "de": ("Fußnoten", "Fußnote {}", "Zurück zum Verweis {}"),
    "el": ("Υποσημειώσεις", "Υποσημείωση {}", "Επιστροφή στην παραπομπή {}"),
    "es": ("Notas al pie", "Nota {}", "Volver a la referencia {}"),
    "fa": ("پانویس‌ها", "پانویس {}", "بازگشت به ارجاع {}"),
    "fi": ("Alaviitteet", "Alaviite {}", "Takaisin viittaukseen {}"),
    "fr": ("Notes de bas de page", "Note {}", "Retour à la référence {}"),
    "he": ("הערות שוליים", "הערה {}", "חזרה להפניה {}"),
    "hi": ("पाद टिप्पणियाँ", "पाद टिप्पणी {}", "संदर्भ {} पर वापस"),
    "hu": ("Lábjegyzetek", "{}. lábjegyzet", "Vissza a hivatkozáshoz: {}"),
    "id": ("Catatan kaki", "Catatan kaki {}", "Kembali ke rujukan {}"),
    "it": ("Note a piè di pagina", "Nota {}", "Torna al riferimento {}"),
    "ja": ("脚注", "脚注 {}", "参照 {} に戻る"),
    "ko": ("각주", "각주 {}", "참조 {} 위치로 돌아가기"),
    "nb": ("Fotnoter", "Fotnote {}", "Tilbake til henvisning {}"),
    "nl": ("Voetnoten", "Voetnoot {}", "Terug naar verwijzing {}"),
    "pl": ("Przypisy", "Przypis {}", "Powrót do odwołania {}"),
    "pt": ("Notas de rodapé", "Nota {}", "Voltar à referência {}"),
    "ro": ("Note de subsol", "Nota {}", "Înapoi la referința {}"),
    "ru": ("Сноски", "Сноска {}", "Назад к ссылке {}"),
    "sk": ("Poznámky pod čiarou", "Poznámka {}", "Späť na odkaz {}"),
    "sv": ("Fotnoter", "Fotnot {}", "Tillbaka till hänvisning {}"),
    "tr": ("Dipnotlar", "Dipnot {}", "{} numaralı göndermeye dön"),
    "uk": ("Виноски", "Виноска {}", "Назад до посилання {}"),
    "vi": ("Chú thích cuối trang", "Chú thích {}", "Quay lại tham chiếu {}"),
    "zh": ("脚注", "脚注 {}", "返回引用 {}"),
}
"""Name of the section, name of the link to a note with its number, name of a link back to a place of reference."""
_SAME = {"no": "nb"}


def words_of(table: Mapping[str, Sequence[str]], language: str) -> Sequence[str]:
    """Return the words in the language of the tag, else in English."""
    code = language.lower().partition("-")[0]
    return table.get(_SAME.get(code, code), table["en"])
