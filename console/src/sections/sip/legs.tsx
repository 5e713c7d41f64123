import { Button } from '../../ui/button.tsx'
import styles from './sip.module.css'

interface LegsProps {
  legs: readonly { name: string; sip_callid: string; description: string }[]
  /** The Call-ID of the displayed leg. */
  own: string
  /** legs of which there is nothing to draw */
  missing: number
  chosen: string | undefined
  onChoose: (sip_callid: string | undefined) => void
}

const formatMissing = (missing: number): string =>
  missing === 1 ? 'No SIP is shown for one more leg.' : `No SIP is shown for ${missing} more legs.`

/** Describes the legs of the call, and selects those that the ladder displays. */
export const Legs = ({ legs, own, missing, chosen, onChoose }: LegsProps) => (
  <div role="group" aria-label="Legs of the call" className={styles['legs']}>
    {legs.length > 1 && (
      <div className={styles['tools']}>
        <Button size="small" aria-pressed={chosen === undefined} onClick={() => onChoose(undefined)}>
          All legs
        </Button>
        {legs.map(({ name, sip_callid }) => (
          <Button
            key={sip_callid}
            size="small"
            aria-pressed={chosen === sip_callid}
            onClick={() => onChoose(sip_callid)}
          >
            Leg {name}
          </Button>
        ))}
      </div>
    )}
    <ul aria-label="Description of the legs" className="note">
      {legs.map(({ name, sip_callid, description }) => (
        <li key={sip_callid}>
          Leg {name}: {description}
          {sip_callid === own && ' (this record)'}
        </li>
      ))}
      {missing > 0 && <li>{formatMissing(missing)}</li>}
    </ul>
  </div>
)
