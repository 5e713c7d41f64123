import { lazyRouteComponent } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { LinkPage } from '../shared-call/link-page.tsx'

/** The ladder is much larger than the pages for visitors, so it has a chunk of its own. */
const SharedReportView = lazyRouteComponent(() => import('./shared-report-view.tsx'), 'SharedReportView')

/** The page of a link to a report, for people without a user. Repeats the title of the route, which is in another chunk. */
export const SharedReportPage = (): ReactNode => <LinkPage title="Call report" View={SharedReportView} />
