export const paletteKeywords = {
  '/internal/alerts': 'errors failures warnings notifications slack pagerduty',
}
