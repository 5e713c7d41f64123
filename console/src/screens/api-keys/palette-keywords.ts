export const paletteKeywords = {
  '/internal/api-keys': 'tokens secrets credentials bearer access programs',
}
