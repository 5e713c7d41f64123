import { lazyRouteComponent } from '@tanstack/react-router'
import { type ReactNode, Suspense, useSyncExternalStore } from 'react'
import { usePageTitle } from '../../../screen/page-title.ts'
import { Mark } from '../../../ui/logo.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import styles from './shared-call.module.css'

/** Repeats the title of the route, whose chunk declares all pages of hosted installations. */
const title = 'Shared call'

/** The conversation is much larger than the pages for visitors, so it has a chunk of its own. */
const SharedCallView = lazyRouteComponent(() => import('./shared-call-view.tsx'), 'SharedCallView')

const subscribe = (listener: () => void) => {
  window.addEventListener('hashchange', listener)
  return () => window.removeEventListener('hashchange', listener)
}

/** The page of a link to a call, for people without a user. */
export const SharedCallPage = (): ReactNode => {
  usePageTitle(title)
  const token = useSyncExternalStore(subscribe, () => window.location.hash.slice(1))
  return (
    <main className={styles['page']} id="main">
      <p className={styles['brand']}>
        <Mark />
        Patchbay
      </p>
      <h1 id="page-title" tabIndex={-1}>
        {title}
      </h1>
      <Suspense fallback={<Spinner />}>
        <SharedCallView key={token} token={token} />
      </Suspense>
    </main>
  )
}
