import { QueryClientProvider, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Outlet, useRouterState } from '@tanstack/react-router'
import { Menu, Search } from 'lucide-react'
import { type RefObject, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { queryClient } from '../api/query-client.ts'
import { meQuery } from '../api/shared-queries.ts'
import { toaster } from '../feedback/toaster.ts'
import { lazyComponentQuery } from '../lazy/lazy-component-query.ts'
import { currentSession, requiredSession } from '../session/session.ts'
import { stored } from '../session/storage.ts'
import { isViewOnly } from '../session/view-only.ts'
import { Banner } from '../ui/banner.tsx'
import { IconButton } from '../ui/button.tsx'
import { classes } from '../ui/classes.ts'
import { CopyReports } from '../ui/copy-button.tsx'
import { modalIsOpen } from '../ui/overlay/modal-stack.ts'
import { AccountSwitch } from './account-switch.tsx'
import styles from './app-shell.module.css'
import { BrandLink } from './brand-link.tsx'
import { modifier } from './kbd.tsx'
import { Navigation } from './navigation.tsx'
import { usePalette } from './use-palette.ts'

const copyReport = {
  copied: (text: string) => toaster.success(`${text} copied to clipboard`),
  failed: (text: string) => toaster.failure(`Unable to copy ${text}, please select the text and right click to copy`),
}

const notices = lazyComponentQuery('notices', async () => (await import('./notices.tsx')).Notices)

const LazyNotices = () => {
  const { data } = useQuery(notices)
  return data && <data.Part />
}

/**
 * The section last opened is remembered; leaving the section of a filter drops it
 * (docs/reference/platform-api/call-records.md#console-filters).
 */
const useRememberedLocation = (pathname: string): void => {
  useEffect(() => {
    // The frame renders once more after the session has ended.
    if (currentSession() === undefined) return
    const section = pathname.split('/')[2] ?? ''
    const before = stored.location.read()
    if (before !== null && before !== section) stored.queryFilter.clear()
    stored.location.write(section)
  }, [pathname])
}

const isOpenPopup = (target: EventTarget | null): boolean =>
  target instanceof Element && target.matches('[role="combobox"][aria-expanded="true"]')

/** In narrow windows, the menu covers the page. Choosing an entry opens another page and closes the menu. */
const useDrawer = (pathname: string, toggle: RefObject<HTMLElement | null>, closer: RefObject<HTMLElement | null>) => {
  const [openOn, setOpenOn] = useState<string>()
  const isOpen = openOn === pathname
  const close = useCallback(() => {
    // The button is inert while the menu is open.
    flushSync(() => setOpenOn(undefined))
    toggle.current?.focus()
  }, [toggle])
  useEffect(() => {
    if (!isOpen) return undefined
    closer.current?.focus()
    const closeByKey = ({ key, target }: KeyboardEvent) => {
      if (key === 'Escape' && !modalIsOpen() && !isOpenPopup(target)) close()
    }
    const wide = window.matchMedia('(width >= 800px)')
    const widen = () => setOpenOn(undefined)
    // Runs before a tooltip of the focused button handles the key.
    document.addEventListener('keydown', closeByKey, true)
    wide.addEventListener('change', widen)
    return () => {
      document.removeEventListener('keydown', closeByKey, true)
      wide.removeEventListener('change', widen)
    }
  }, [isOpen, close, closer])
  return { isOpen, close, open: () => setOpenOn(pathname) }
}

const Inner = () => {
  const { data } = useSuspenseQuery(meQuery)
  const pathname = useRouterState({ select: ({ location }) => location.pathname })
  const toggle = useRef<HTMLButtonElement>(null)
  const { actor } = requiredSession()
  const closer = useRef<HTMLButtonElement>(null)
  const drawer = useDrawer(pathname, toggle, closer)
  const palette = usePalette()
  useRememberedLocation(pathname)
  return (
    <CopyReports value={copyReport}>
      <a href="#main" className={styles['skip']} inert={drawer.isOpen}>
        Skip to content
      </a>
      <div className={styles['frame']}>
        <header className={styles['top']} inert={drawer.isOpen}>
          <IconButton
            ref={toggle}
            label="Open menu"
            aria-expanded={drawer.isOpen}
            aria-controls="navigation"
            onClick={drawer.open}
          >
            <Menu size={20} aria-hidden="true" />
          </IconButton>
          {actor.scope === 'account' ? <BrandLink /> : <AccountSwitch />}
          <IconButton label="Search" aria-keyshortcuts={`${modifier.name}+K`} onClick={palette.open}>
            <Search size={18} aria-hidden="true" />
          </IconButton>
        </header>
        <aside
          id="navigation"
          className={classes(styles['side'], drawer.isOpen && styles['open'])}
          aria-label="Console"
        >
          <Navigation user={data.user} onSearch={palette.open} onClose={drawer.close} closer={closer} />
        </aside>
        {drawer.isOpen && <div className={styles['backdrop']} onClick={drawer.close} aria-hidden="true" />}
        <main id="main" className={styles['main']} tabIndex={-1} inert={drawer.isOpen}>
          <LazyNotices />
          {isViewOnly(data.user) && (
            <div className={styles['notice']}>
              <Banner tone="info">You have view-only access. You can see everything here but can’t change it.</Banner>
            </div>
          )}
          <Suspense fallback={null}>
            <Outlet />
          </Suspense>
        </main>
      </div>
      {palette.content}
    </CopyReports>
  )
}

/** The frame around every internal screen. */
export const Frame = () => (
  <QueryClientProvider client={queryClient}>
    <Inner />
  </QueryClientProvider>
)
