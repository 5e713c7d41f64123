import type { Alerts } from '../alerts/alerts.ts'
import { toAlert } from '../alerts/to-alert.ts'
import { split, writeInstant } from '../calls/nanosecond-timestamps.ts'
import { toAlertRecordLenient } from '../ingest/parse-call-point.ts'
import type { InfluxDb, InfluxSearch } from './influxdb.ts'

/**
 * Alerts that jambonz itself writes to InfluxDB. InfluxDB stores one alert per instant for each type, owner, and
 * vendor.
 */
export const createInfluxAlerts = (influx: InfluxDb): Alerts => ({
  async search(search, searcher) {
    const { alert_type } = search
    const query: InfluxSearch = {
      measurement: 'alerts',
      counted: ['message'],
      search,
      conditions: alert_type ? ['"alert_type"::tag = $alert_type'] : [],
      params: alert_type ? { alert_type } : {},
    }
    const { total, points } = await influx.search(query, searcher)
    const alerts = points.map((point) => {
      const { milliseconds, nanoseconds } = split(point.time)
      return toAlert(toAlertRecordLenient(point), writeInstant(milliseconds, nanoseconds))
    })
    return { total, alerts }
  },
})
