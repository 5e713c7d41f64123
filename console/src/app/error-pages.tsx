import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router'
import { errorMessage } from '../api/api-error.ts'
import { signIn } from '../routes/sign-in.ts'
import { ScreenLink, startPath } from '../screen/links.tsx'
import { currentSession } from '../session/session.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import styles from './error-pages.module.css'

const BackButton = () => {
  const { history } = useRouter()
  return history.canGoBack() && <Button onClick={() => history.back()}>Back</Button>
}

/** The page for an unknown URL within the frame. */
export const NotFoundInside = () => {
  const signedIn = currentSession() !== undefined
  return (
    <div className={styles.page}>
      <h1 id="page-title" tabIndex={-1}>
        That page doesn't exist.
      </h1>
      <p>The address may be wrong, or the record may have been deleted.</p>
      <div className={styles.actions}>
        {signedIn ? (
          <Link to={startPath} className={buttonClass('secondary')}>
            Go to the start page
          </Link>
        ) : (
          <ScreenLink to={signIn} className={buttonClass('primary')}>
            {signIn.title}
          </ScreenLink>
        )}
        <BackButton />
      </div>
    </div>
  )
}

/** The page for an unknown URL outside of the frame. */
export const NotFound = () => (
  <main id="main">
    <NotFoundInside />
  </main>
)

/** Shows errors that screens throw while they load or render. */
export const UnexpectedError = ({ error, reset }: ErrorComponentProps) => (
  <main className={styles.page} id="main">
    <h1>Unexpected Application Error!</h1>
    <p role="alert">{errorMessage(error)}</p>
    <div className={styles.actions}>
      <Button variant="primary" onClick={reset}>
        Try again
      </Button>
      <a href="/" className={buttonClass('secondary')}>
        Start over
      </a>
      <BackButton />
    </div>
  </main>
)
