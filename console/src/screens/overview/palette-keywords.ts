export const paletteKeywords = {
  '/internal/overview': 'dashboard home start status health setup checklist problems',
}
