export const paletteKeywords = {
  '/internal/alert-destinations': 'notifications slack pagerduty webhook email',
  '/internal/alert-destinations/add': 'notification slack pagerduty',
}
