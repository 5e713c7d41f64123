export const paletteKeywords = {
  '/internal/audit-trail': 'history changes activity log security',
}
