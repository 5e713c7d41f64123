import { useRouterState } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { signIn } from '../routes/sign-in.ts'
import { ScreenLink } from '../screen/links.tsx'
import { currentSession } from '../session/session.ts'
import { Banner } from '../ui/banner.tsx'
import styles from './app-shell.module.css'

const checkIntervalMs = 10_000
const warnBeforeMs = 5 * 60_000

/** Returns the milliseconds that are left of a session that ends soon because it was not or cannot be renewed. */
const timeLeft = (): number | undefined => {
  const session = currentSession()
  if (session === undefined) return undefined
  const timeLeftMs = session.expiresAt - Date.now()
  return timeLeftMs < Math.min(warnBeforeMs, (session.expiresAt - session.issuedAt) / 4) ? timeLeftMs : undefined
}

const useTimeLeft = (): number | undefined => {
  const [left, setLeft] = useState(timeLeft)
  useEffect(() => {
    const look = () => setLeft(timeLeft())
    const timer = window.setInterval(look, checkIntervalMs)
    // Another tab may have signed in again.
    window.addEventListener('storage', look)
    return () => {
      window.clearInterval(timer)
      window.removeEventListener('storage', look)
    }
  }, [])
  return left
}

const whenText = (timeLeftMs: number): string => {
  if (timeLeftMs <= 0) return 'Your session has ended.'
  const minutes = Math.ceil(timeLeftMs / 60_000)
  return `Your session ends in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`
}

/** Warns the user before the session ends, with a link to sign in again and return to the same page. */
export const SessionWarning = () => {
  const timeLeftMs = useTimeLeft()
  const next = useRouterState({ select: ({ location }) => location.href })
  if (timeLeftMs === undefined) return null
  return (
    <div className={styles['notice']}>
      <Banner
        tone="warn"
        role="status"
        action={
          <ScreenLink to={signIn} search={{ next, again: 'yes' }}>
            Sign in again
          </ScreenLink>
        }
      >
        {whenText(timeLeftMs)} Sign in again to return to this page.
      </Banner>
    </div>
  )
}
