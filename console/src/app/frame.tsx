import { QueryClientProvider, useSuspenseQuery } from '@tanstack/react-query'
import { Outlet, useRouterState } from '@tanstack/react-router'
import { Menu, Search, X } from 'lucide-react'
import { Suspense, useEffect, useState } from 'react'
import { meQuery } from '../api/queries.ts'
import { currentSession } from '../session/session.ts'
import { stored } from '../session/storage.ts'
import { Banner } from '../ui/banner.tsx'
import { IconButton } from '../ui/button.tsx'
import { classes } from '../ui/classes.ts'
import { CopyReports } from '../ui/copy-button.tsx'
import { Mark } from '../ui/mark.tsx'
import styles from './frame.module.css'
import { Navigation } from './navigation.tsx'
import { queryClient } from '../page/query-client.ts'
import { SessionWarning } from './session-warning.tsx'
import { toaster } from '../page/toaster.ts'
import { isViewOnly } from '../page/view-only.ts'
import { modifier } from './modifier.ts'
import { usePalette } from './use-palette.ts'

const copyReport = {
  copied: (shown: string) => toaster.success(`${shown} copied to clipboard`),
  failed: (shown: string) => toaster.failure(`Unable to copy ${shown}, please select the text and right click to copy`),
}

/** The section last opened is remembered; leaving the section of a filter drops it (console facts B.1). */
const useRememberedLocation = (pathname: string): void => {
  useEffect(() => {
    // The frame stands a moment longer than the session that has ended.
    if (currentSession() === undefined) return
    const section = pathname.split('/')[2] ?? ''
    const before = stored.location.read()
    if (before !== null && before !== section) stored.queryFilter.clear()
    stored.location.write(section)
  }, [pathname])
}

const Inner = () => {
  const { data } = useSuspenseQuery(meQuery)
  const pathname = useRouterState({ select: ({ location }) => location.pathname })
  // The menu is open on one page: choosing an entry leads to another, and so closes it.
  const [openOn, setOpenOn] = useState<string>()
  const menuOpen = openOn === pathname
  const setMenuOpen = (open: boolean) => setOpenOn(open ? pathname : undefined)
  const palette = usePalette()
  useRememberedLocation(pathname)
  useEffect(() => {
    if (!menuOpen) return
    const close = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') setOpenOn(undefined)
    }
    // Before a tip of the focused button takes the key for itself.
    document.addEventListener('keydown', close, true)
    return () => document.removeEventListener('keydown', close, true)
  }, [menuOpen])
  return (
    <CopyReports value={copyReport}>
      <a href="#main" className={styles['skip']}>
        Skip to content
      </a>
      <div className={styles['frame']}>
        <header className={styles['top']}>
          <Mark />
          <span>Patchbay</span>
          <IconButton label="Search" aria-keyshortcuts={`${modifier.name}+K`} onClick={palette.open}>
            <Search size={18} aria-hidden="true" />
          </IconButton>
          <IconButton
            label={menuOpen ? 'Close menu' : 'Open menu'}
            aria-expanded={menuOpen}
            aria-controls="navigation"
            onClick={() => setMenuOpen(!menuOpen)}
          >
            {menuOpen ? <X size={20} aria-hidden="true" /> : <Menu size={20} aria-hidden="true" />}
          </IconButton>
        </header>
        <aside id="navigation" className={classes(styles['side'], menuOpen && styles['open'])} aria-label="Console">
          <Navigation user={data.user} onSearch={palette.open} />
        </aside>
        <main id="main" className={styles['main']} tabIndex={-1}>
          <SessionWarning />
          {isViewOnly(data.user) && (
            <div className={styles['notice']}>
              <Banner tone="info">
                You have view-only access: you can look at everything here, but change nothing.
              </Banner>
            </div>
          )}
          <Suspense fallback={null}>
            <Outlet />
          </Suspense>
        </main>
      </div>
      {palette.shown}
    </CopyReports>
  )
}

/** What stands round every internal screen. */
export const Frame = () => (
  <QueryClientProvider client={queryClient}>
    <Inner />
  </QueryClientProvider>
)
