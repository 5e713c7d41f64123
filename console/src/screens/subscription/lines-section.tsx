import { computeDevices, formatMoney, sumLines } from '@patchbay/rules/plans/pricing'
import { Button } from '../../ui/button.tsx'
import { NumberField } from '../../ui/fields/field.tsx'
import { FormSection } from '../../ui/fields/form-frame.tsx'
import { getCapacity, type Lines } from './order-lines.ts'
import styles from './subscription.module.css'

interface LinesSectionProps {
  order: Lines
  /** Number of devices that can register for each concurrent call. */
  ratio: number
  /** True if errors are also shown at fields that the user has not changed. */
  showsErrors: boolean
}

/** Table of the subscription with the capacity and the monthly cost of each line. */
export const LinesSection = ({ order: { lines, change, reveal }, ratio, showsErrors }: LinesSectionProps) => {
  const visibleLines = lines.filter(({ visible }) => visible)
  const calls = getCapacity(lines, 'voice_call_session')
  const devices = getCapacity(lines, 'device')
  const offersDevices = calls > 0 && lines.some(({ category, visible }) => category === 'device' && !visible)
  return (
    <FormSection title="Capacity" description="Choose the number of simultaneous calls and registered devices.">
      <table className={styles['lines']}>
        <caption className="visually-hidden">Subscription</caption>
        <thead>
          <tr>
            <th scope="col">Service</th>
            <th scope="col">Capacity</th>
            <th scope="col">Price</th>
            <th scope="col">Cost</th>
          </tr>
        </thead>
        <tbody>
          {visibleLines.map(({ category, service, capacity, min, max, feesLabel, cost, currency, invalid, dirty }) => (
            <tr key={category}>
              <th scope="row">{service}</th>
              <td>
                <NumberField
                  label={service}
                  labelHidden
                  required
                  min={min}
                  max={max}
                  step={1}
                  value={Number.isFinite(capacity) ? capacity : ''}
                  onChange={({ target }) => change(category, target.valueAsNumber)}
                  error={invalid && (dirty || showsErrors) ? `${min} to ${max}` : undefined}
                />
              </td>
              <td>{feesLabel || '—'}</td>
              <td>{formatMoney(cost, currency)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colSpan={3}>
              Total monthly cost
            </th>
            <td>
              <output>{formatMoney(sumLines(lines))}</output>
            </td>
          </tr>
        </tfoot>
      </table>
      {calls > 0 && (
        <p className={styles['note']}>
          With {calls} call sessions you can register {computeDevices(ratio, calls, devices)} concurrent devices
          {devices > 0 && `, including ${devices} additional`}
        </p>
      )}
      {offersDevices && (
        <div className={styles['prompt']}>
          <p>Would you like to purchase additional device registrations?</p>
          <Button onClick={() => reveal('device')}>Add device registrations</Button>
        </div>
      )}
    </FormSection>
  )
}
