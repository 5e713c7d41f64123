import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import { failureText } from '../api/failure.ts'
import { currentSession } from '../session/session.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import styles from './error-pages.module.css'
import { paths } from './paths.ts'

/** An address that is none. Inside the frame it stands in the frame; outside it is the whole page. */
export const NotFound = () => {
  const signedIn = currentSession() !== undefined
  return (
    <main className={styles.page} id="main">
      <h1>That page doesn't exist.</h1>
      <p>The address may be mistyped, or what it showed may have been deleted.</p>
      {signedIn ? (
        <Link to="/internal" className={buttonClass('secondary')}>
          Go to the start page
        </Link>
      ) : (
        <Link to={paths.signIn} className={buttonClass('primary')}>
          Log in
        </Link>
      )}
    </main>
  )
}

/** What is thrown while a screen is drawn or loaded ends here, and nowhere else. */
export const UnexpectedError = ({ error, reset }: ErrorComponentProps) => (
  <main className={styles.page} id="main">
    <h1>Unexpected Application Error!</h1>
    <p role="alert">{failureText(error)}</p>
    <div className={styles.actions}>
      <Button variant="primary" onClick={reset}>
        Try again
      </Button>
      <a href="/" className={buttonClass('secondary')}>
        Start over
      </a>
    </div>
  </main>
)
