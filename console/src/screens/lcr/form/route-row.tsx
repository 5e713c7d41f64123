import type { PatternError } from '@patchbay/rules/routing/outbound'
import { ArrowDown, ArrowUp, CircleAlert, GripVertical, Trash2 } from 'lucide-react'
import { memo, type Ref, use } from 'react'
import { CarrierField } from '../../../fields/carrier-field.tsx'
import { useFields, useSelection } from '../../../form/use-fields.ts'
import { IconButton } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { ReadOnlyFields } from '../../../ui/fields/field-frame.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import type { useReorder } from '../../../ui/table/use-reorder.ts'
import type { LcrValues } from './lcr-form.ts'
import styles from './routes.module.css'

/** Problems of a pattern, shown while the user types. */
const PatternErrors = ({ faults }: { faults: readonly PatternError[] }) => (
  <span className={styles['faults']}>
    {faults.map(({ is, msg }) => (
      <span
        key={msg}
        className={classes(
          styles['fault'],
          (is === 'invalid' || is === 'cut_off' || is === 'too_long') && styles['bad'],
        )}
      >
        <CircleAlert size={13} aria-hidden="true" />
        {msg}
      </span>
    ))}
  </span>
)

interface RouteRowProps {
  index: number
  count: number
  /** SID of the account that limits the selectable carriers. Empty for a routing of the whole service provider. */
  account_sid: string
  faults: readonly PatternError[]
  reorder: Pick<ReturnType<typeof useReorder>, 'lifted' | 'handle' | 'moveBy'>
  onRemove: (index: number) => void
  ref?: Ref<HTMLLIElement> | undefined
}

const Row = ({ index, count, account_sid, faults, reorder, onRemove, ref }: RouteRowProps) => {
  const field = useFields<LcrValues>()
  const carrier = useSelection<LcrValues>(`routes.${index}.voip_carrier_sid`)
  const readOnly = use(ReadOnlyFields)
  const nth = index + 1
  return (
    <li ref={ref} className={classes(styles['route'], reorder.lifted === index && styles['lifted'])}>
      {readOnly ? (
        <span className={styles['place']}>{nth}</span>
      ) : (
        <button
          type="button"
          className={styles['handle']}
          aria-label={`Move route ${nth}`}
          aria-describedby="how-to-move"
          {...reorder.handle(index)}
        >
          <GripVertical size={15} aria-hidden="true" />
        </button>
      )}
      <TextField
        label={`Digit prefix or regex of route ${nth}`}
        labelHidden
        required
        mono
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        hint={faults.length > 0 && <PatternErrors faults={faults} />}
        {...field(`routes.${index}.regex`)}
      />
      <CarrierField {...carrier} label={`Carrier of route ${nth}`} labelHidden required account_sid={account_sid} />
      {readOnly ? (
        <span />
      ) : (
        <span className={styles['acts']}>
          <IconButton
            label={`Move route ${nth} up`}
            disabledReason={index === 0 ? 'It is the first.' : undefined}
            onClick={() => reorder.moveBy(index, -1)}
          >
            <ArrowUp size={15} aria-hidden="true" />
          </IconButton>
          <IconButton
            label={`Move route ${nth} down`}
            disabledReason={nth === count ? 'It is the last.' : undefined}
            onClick={() => reorder.moveBy(index, 1)}
          >
            <ArrowDown size={15} aria-hidden="true" />
          </IconButton>
          <IconButton label={`Remove route ${nth}`} onClick={() => onRemove(index)}>
            <Trash2 size={15} aria-hidden="true" />
          </IconButton>
        </span>
      )}
    </li>
  )
}

const hasSameErrors = (one: readonly PatternError[], other: readonly PatternError[]): boolean =>
  one.length === other.length && one.every(({ msg }, at) => msg === other[at]?.msg)

/** A row of the list of routes. Lists can be long, so a row renders again only if its own data has changed. */
export const RouteRow = memo(
  Row,
  (before, now) =>
    before.index === now.index &&
    before.count === now.count &&
    before.account_sid === now.account_sid &&
    before.onRemove === now.onRemove &&
    before.ref === now.ref &&
    (before.reorder.lifted === before.index) === (now.reorder.lifted === now.index) &&
    hasSameErrors(before.faults, now.faults),
)
