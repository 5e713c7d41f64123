import { maxRoutes } from '@patchbay/contract/lcr-routes/record'
import { validatePatterns } from '@patchbay/rules/routing/outbound'
import { PhoneOutgoing, Plus } from 'lucide-react'
import { use, useCallback, useDeferredValue, useMemo, useRef, useState } from 'react'
import { useFieldArray, useFormContext, useWatch } from 'react-hook-form'
import { api } from '../../../api/client.ts'
import { ConfirmAction } from '../../../feedback/confirm-action.tsx'
import { useAction } from '../../../feedback/use-action.ts'
import { useLazyComponent } from '../../../lazy/use-lazy-component.ts'
import { Button } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { ReadOnlyFields } from '../../../ui/fields/field-frame.tsx'
import { FieldGroup, FormSection } from '../../../ui/fields/form-frame.tsx'
import { useGrowingWindow } from '../../../ui/table/use-incremental-rows.ts'
import { useReorder } from '../../../ui/table/use-reorder.ts'
import { emptyRoute, type LcrValues, type RouteValues } from './lcr-form.ts'
import { RouteRow } from './route-row.tsx'
import styles from './routes.module.css'

interface DeleteRouteProps {
  route: RouteValues
  onClose: () => void
  onDeleted: (lcr_route_sid: string) => Promise<void>
}

/** Confirmation dialog. Deleting a stored route takes effect immediately and does not wait for Save. */
const DeleteRoute = ({ route: { lcr_route_sid, regex }, onClose, onDeleted }: DeleteRouteProps) => {
  const remove = useAction({
    run: () => api('DELETE /LcrRoutes/:lcr_route_sid', { params: { lcr_route_sid } }),
    done: () => 'Least cost routing rule successfully deleted',
    changes: [['lcrs'], ['lcr-routes']],
    after: async () => {
      await onDeleted(lcr_route_sid)
      onClose()
    },
  })
  return (
    <ConfirmAction action={remove} title="Delete route?" confirmLabel="Delete route" danger onCancel={onClose}>
      <p>
        The route <strong className="mono">{regex}</strong> will be deleted immediately, even if you don’t save the
        form. Your other changes stay unsaved. This cannot be undone.
      </p>
    </ConfirmAction>
  )
}

/** Validates the patterns in a deferred render, so that typing stays responsive in a long list. */
const usePatternErrors = (routes: readonly RouteValues[]) => {
  const patterns = useMemo(() => routes.map(({ regex }) => regex), [routes])
  const deferredPatterns = useDeferredValue(patterns)
  return useMemo(
    // Missing patterns are reported by the field when it loses focus.
    () => validatePatterns(deferredPatterns).map((faults) => faults.filter(({ is }) => is !== 'empty')),
    [deferredPatterns],
  )
}

interface RoutesSectionProps {
  /** SID of the stored routing. Absent for a new routing. */
  lcr_sid?: string
  /** Called after a stored route has been deleted. */
  onDeleted?: (lcr_route_sid: string) => Promise<void>
}

/** Routes in the order in which they are tried. */
export const RoutesSection = ({ lcr_sid, onDeleted }: RoutesSectionProps) => {
  const { control, formState, getValues } = useFormContext<LcrValues>()
  const { fields, append, remove, move } = useFieldArray({ control, name: 'routes' })
  const routes = useWatch({ control, name: 'routes' })
  const account_sid = useWatch({ control, name: 'account_sid' })
  const faults = usePatternErrors(routes)
  const list = useRef<HTMLOListElement>(null)
  const reorder = useReorder({ list, count: fields.length, move, noun: 'route' })
  const wrong = formState.errors.routes
  const [added, setAdded] = useState(-1)
  const mustShow = Math.max(added, wrong?.findIndex?.(Boolean) ?? -1)
  // Rows with form fields are expensive to render, so a row is rendered only when it scrolls into view.
  const { limit, end, more } = useGrowingWindow(fields.length, mustShow, 0)
  const [deleting, setDeleting] = useState<RouteValues>()
  const dryRun = useLazyComponent(async () => (await import('../dry-run.tsx')).DryRun)
  const readOnly = use(ReadOnlyFields)
  const onRemove = useCallback(
    (index: number) => {
      const route = getValues(`routes.${index}`)
      if (route.lcr_route_sid === '') remove(index)
      else setDeleting(route)
    },
    [getValues, remove],
  )
  return (
    <FormSection
      title="Routes"
      description="Tried from top to bottom. The first route that matches the number applies."
      action={
        <Button
          size="small"
          icon={<PhoneOutgoing size={14} aria-hidden="true" />}
          busy={dryRun.isLoading}
          onClick={dryRun.open}
        >
          Try a number
        </Button>
      }
    >
      <FieldGroup name="routes" legend="Route based on first match">
        {!readOnly && (
          <p id="how-to-move" className="note">
            Drag a route by its handle or use the arrow buttons to reorder it.
          </p>
        )}
        {fields.length > 0 && (
          <div className={styles['heads']} aria-hidden="true">
            <span>Digit prefix or regex *</span>
            <span>Carrier *</span>
          </div>
        )}
        <ol ref={list} className={styles['list']} aria-label="Routes">
          {fields.slice(0, limit).map(({ id }, index) => (
            <RouteRow
              key={id}
              index={index}
              count={fields.length}
              account_sid={account_sid}
              faults={faults[index] ?? []}
              reorder={reorder}
              onRemove={onRemove}
            />
          ))}
        </ol>
        {more && (
          <p key={limit} ref={end} className={classes('note', styles['after'])}>
            {`${fields.length - limit} more…`}
          </p>
        )}
        <p className={classes('note', styles['last'], styles['after'])}>
          All other numbers use the default outbound carrier.
        </p>
        <p role="status" className="visually-hidden">
          {reorder.said}
        </p>
      </FieldGroup>
      {!readOnly && (
        <div className={styles['after']}>
          <Button
            size="small"
            icon={<Plus size={14} aria-hidden="true" />}
            disabledReason={fields.length >= maxRoutes ? `At most ${maxRoutes} routes.` : undefined}
            onClick={() => {
              setAdded(fields.length)
              append(emptyRoute)
            }}
          >
            Add route
          </Button>
        </div>
      )}
      {deleting && onDeleted && (
        <DeleteRoute route={deleting} onDeleted={onDeleted} onClose={() => setDeleting(undefined)} />
      )}
      {dryRun.Part && <dryRun.Part onClose={dryRun.close} unsaved={{ lcr_sid, values: getValues() }} />}
    </FormSection>
  )
}
