import type { DestinationKind } from '@patchbay/contract/rules/alert-destinations'

export const kindTexts: Readonly<Record<DestinationKind, string>> = { webhook: 'Webhook', email: 'E-mail' }
