import { lazyRouteComponent } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { LinkPage } from './link-page.tsx'

/** The conversation is much larger than the pages for visitors, so it has a chunk of its own. */
const SharedCallView = lazyRouteComponent(() => import('./shared-call-view.tsx'), 'SharedCallView')

/** The page of a link to a call, for people without a user. Repeats the title of the route, which is in another chunk. */
export const SharedCallPage = (): ReactNode => <LinkPage title="Shared call" View={SharedCallView} />
