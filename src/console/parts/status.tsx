import { deliveryStateWords, type Health, healthWords, type Tone } from './words.ts';

/** A word with a color. The color is never the only sign. */
export const Status = ({ word, tone }: { word: string; tone: Tone }) => <span class={`status ${tone}`}>{word}</span>;

export const HealthStatus = ({ health }: { health: Health }) => <Status {...(healthWords[health] ?? { word: health, tone: 'off' })} />;

export const DeliveryStatus = ({ state }: { state: string }) => <Status {...(deliveryStateWords[state] ?? { word: state, tone: 'off' })} />;
