import type { DestinationKind } from '@patchbay/contract/shared/alert-destinations'

export const destinationKindLabels: Readonly<Record<DestinationKind, string>> = { webhook: 'Webhook', email: 'E-mail' }
