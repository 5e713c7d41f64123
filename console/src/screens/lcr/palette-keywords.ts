export const paletteKeywords = {
  '/internal/least-cost-routing': 'lcr least cost routes dial plan',
  '/internal/least-cost-routing/own': 'lcr least cost routes dial plan',
}
