export const paletteKeywords = {
  '/internal/ms-teams-tenants': 'microsoft direct routing',
}
