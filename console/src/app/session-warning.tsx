import { useRouterState } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { ScreenLink } from '../screen/links.tsx'
import { signIn } from '../routes/sign-in.ts'
import { currentSession } from '../session/session.ts'
import { Banner } from '../ui/banner.tsx'
import styles from './app-shell.module.css'

const lookEveryMs = 10_000
const warnBeforeMs = 5 * 60_000

/** Milliseconds that are left of a session which is about to end, since it was not renewed or cannot be. */
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
    const timer = window.setInterval(look, lookEveryMs)
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

/** Warns before the session ends, with the way to another one and back. */
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
