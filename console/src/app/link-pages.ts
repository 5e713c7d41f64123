import { sharedCall } from '../routes/shared-call.ts'
import { sharedReport } from '../routes/shared-report.ts'
import { type Page, page } from './pages.ts'

/** Pages that people open with a link whose fragment is a secret. They need no user. */
export const linkPages: readonly Page[] = [
  page(sharedCall, () => import('../screens/recent-calls/shared-call/shared-call.tsx')),
  page(sharedReport, () => import('../screens/recent-calls/shared-report/shared-report.tsx')),
]
