export const paletteKeywords = {
  '/internal/phone-numbers': 'dids ddis inbound e164',
  '/internal/phone-numbers/add': 'new did',
  '/internal/phone-numbers/import': 'csv upload bulk',
}
