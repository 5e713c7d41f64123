import { type ComponentType, type ReactNode, Suspense, useSyncExternalStore } from 'react'
import { usePageTitle } from '../../../screen/page-title.ts'
import { Mark } from '../../../ui/logo.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import styles from './shared-call.module.css'

const subscribe = (listener: () => void) => {
  window.addEventListener('hashchange', listener)
  return () => window.removeEventListener('hashchange', listener)
}

interface LinkPageProps {
  title: string
  View: ComponentType<{ token: string }>
}

/** The frame of a page that people without a user open by a link, whose fragment is the token. */
export const LinkPage = ({ title, View }: LinkPageProps): ReactNode => {
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
        <View key={token} token={token} />
      </Suspense>
    </main>
  )
}
