export const paletteKeywords = {
  '/internal/phone-numbers/inbound': 'test explain inbound routing did',
}
