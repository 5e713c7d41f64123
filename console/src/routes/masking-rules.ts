import { defineScreen } from './define-screen.ts'
import { settings } from './settings.ts'

export const maskingRules = defineScreen({
  path: '/internal/settings/masking',
  title: 'Masking',
  minScope: 'service_provider',
  serverExtension: 'masking-rules',
  parent: settings,
  inPalette: true,
})
