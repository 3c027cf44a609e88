import { flushSync } from 'svelte';
import { expect, it } from 'vitest';
import { Camera } from './camera.svelte';

function looking(): Camera {
  const camera = new Camera();
  camera.resize(600, 400, { right: 44 });
  camera.open(48_000, 36_000);
  return camera;
}

/** Where on the screen a place of the table is drawn, by the transform. */
function drawn(camera: Camera, [x, y]: readonly [number, number]): number[] {
  flushSync();
  const [, dx, dy, sx, sy] = /translate\((\S+) (\S+)\) scale\((\S+) (\S+)\)/.exec(camera.transform)!.map(Number);
  return [dx! + sx! * x, dy! + sy! * y].map((pixel) => Math.round(pixel * 1000) / 1000);
}

it.each([1, -1] as const)('finds the place under a pixel where it is drawn (%i)', (up) => {
  const camera = looking();
  camera.lie(up);
  camera.zoom(2, 100, 50);
  camera.pan(30, -20);
  const [px, py] = drawn(camera, [20_000, 7000]);
  const [x, y] = camera.toTable(px!, py!);
  expect([Math.round(x), Math.round(y)]).toEqual([20_000, 7000]);
  expect(camera.sees([20_000, 7000], 0)).toBe(px! >= 0 && px! <= 556 && py! >= 0 && py! <= 400);
});

it('has what was far away near when the table is turned round, and all of it on the screen', () => {
  const camera = looking();
  const far = drawn(camera, [48_000, 36_000]);
  const near = drawn(camera, [0, 0]);
  expect(far[1]).toBeLessThan(near[1]!);
  camera.lie(-1);
  expect(drawn(camera, [0, 0])).toEqual(far);
  expect(drawn(camera, [48_000, 36_000])).toEqual(near);
});

it('moves what is seen with the pointer, however the table lies', () => {
  for (const up of [1, -1] as const) {
    const camera = looking();
    camera.lie(up);
    camera.zoom(3);
    const [x, y] = drawn(camera, [24_000, 18_000]);
    camera.pan(25, 10);
    expect(drawn(camera, [24_000, 18_000])).toEqual([x! + 25, y! + 10]);
  }
});

it('shows places no smaller than asked for', () => {
  const camera = looking();
  camera.show([[2000, 2000], [46_000, 2000]], { around: 3500, least: 0.021 }); // prettier-ignore
  expect(camera.scale).toBe(0.021);
});

it('has in the middle of what panels leave open what is to be seen, and nothing under them', () => {
  for (const up of [1, -1] as const) {
    const camera = new Camera();
    camera.lie(up);
    camera.resize(1300, 700, { left: 240, right: 360 });
    camera.open(48_000, 36_000);
    camera.show([[24_000, 18_000]]);
    expect(drawn(camera, [24_000, 18_000])).toEqual([590, 350]);
    camera.show([[24_000, 18_000]], { below: 100 });
    expect(drawn(camera, [24_000, 18_000])).toEqual([590, 300]);
    expect(camera.sees(camera.toTable(250, 350))).toBe(false);
    expect(camera.sees(camera.toTable(930, 350))).toBe(false);
    expect(camera.sees(camera.toTable(300, 350))).toBe(true);
    expect(camera.sees(camera.toTable(300, 650), 24, 60)).toBe(false);
  }
});
