export const paletteKeywords = {
  '/internal/system': 'health outage monitoring redis feature servers',
}
