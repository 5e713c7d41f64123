import { sharedReportPath } from '@patchbay/contract/shared/call-share-limits'
import { defineScreen } from './define-screen.ts'

/** The report of a link. The token of the link is the fragment of the URL, which browsers do not send to the server. */
export const sharedReport = defineScreen({ path: sharedReportPath, title: 'Call report', audience: 'anyone' })
