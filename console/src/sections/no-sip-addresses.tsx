import { addSipAddressHash, settings } from '../routes/settings.ts'
import { ScreenLink } from '../screen/links.tsx'
import { requiredSession } from '../session/session.ts'

/** Shown in the place of the SIP addresses of the platform if none is known, with the way to add one. */
export const NoSipAddresses = () =>
  requiredSession().actor.scope === 'admin' ? (
    <p>
      No SIP address is known.{' '}
      <ScreenLink to={settings} hash={addSipAddressHash}>
        Add one in the settings
      </ScreenLink>
      .
    </p>
  ) : (
    <p>No SIP address is known. Ask the administrator of the platform to add one in the settings.</p>
  )
