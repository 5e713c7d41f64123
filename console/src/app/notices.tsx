import { OfflineNotice } from './offline-notice.tsx'
import { SessionWarning } from './session-warning.tsx'

/** The notices above every screen. They load after the screen has rendered. */
export const Notices = () => (
  <>
    <OfflineNotice />
    <SessionWarning />
  </>
)
