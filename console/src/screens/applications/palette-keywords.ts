export const paletteKeywords = {
  '/internal/applications': 'webhooks hooks verbs call flow bots agents environment variables',
  '/internal/applications/add': 'webhook bot agent',
}
