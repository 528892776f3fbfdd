const dateTime = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)?(Z|[+-]\d\d:\d\d)?$/i;

/**
 * Milliseconds since 1970 of a date or an `xsd:dateTime`, in UTC if it has no time zone. Undefined if the time does not exist or is outside
 * the years 1 to 9999.
 */
export function toInstant(text: string): number | undefined {
  const [, day, time = 'T00:00', zone = 'Z'] = dateTime.exec(text) ?? [];
  if (day === undefined || !isRealDay(day)) return undefined;
  const instant = Date.parse(`${day}${time}${zone}`.toUpperCase());
  return instant >= firstInstant && instant <= lastInstant ? instant : undefined;
}

const firstInstant = Date.parse('0001-01-01T00:00:00Z');
const lastInstant = Date.parse('9999-12-31T23:59:59.999Z');

/** JavaScript reads 30 February as a day in March. */
function isRealDay(day: string): boolean {
  const midnight = new Date(`${day}T00:00Z`);
  return !Number.isNaN(midnight.valueOf()) && midnight.toISOString().startsWith(day);
}
