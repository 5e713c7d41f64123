import { OfflineNotice } from './offline-notice.tsx'
import { SessionWarning } from './session-warning.tsx'

/** What the frame has to say above a screen, of itself: fetched once the screen shows, and long before it is needed. */
export const Notices = () => (
  <>
    <OfflineNotice />
    <SessionWarning />
  </>
)
