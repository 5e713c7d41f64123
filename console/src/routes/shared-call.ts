import { sharedCallPath } from '@patchbay/contract/shared/call-share-limits'
import { defineScreen } from './define-screen.ts'

/** The call of a link. The token of the link is the fragment of the URL, which browsers do not send to the server. */
export const sharedCall = defineScreen({ path: sharedCallPath, title: 'Shared call', audience: 'anyone' })
